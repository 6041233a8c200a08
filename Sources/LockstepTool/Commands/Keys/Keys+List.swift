import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys list`: lists the contents of keyrings.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the contents of a keyring, without any secret.",
            discussion: """
                Lists the keyrings in the folder that --keys names, or in those beside the databases of the current folder; or the one that --keyring or --database names. With \
                --key-file or --passphrase-fd, each keyring is also opened, which verifies its MAC.
                """)

        @OptionGroup var keyrings: KeyringOptions
        @OptionGroup var credentials: CredentialOptions
        @OptionGroup var output: FormatOptions

        @Option(name: [.short, .long], help: "Only this database's keyring.")
        var database: String?

        func run() throws {
            let source = CredentialSource(credentials)
            let rings = try files().map { file in
                let ring = credentials.isGiven ? try source.open(file).summary : try file.summary()
                return (file.path.string, ring)
            }
            guard output.format == .text else { return try Output.json(rings.map(json)) }
            for (file, ring) in rings { show(file, ring) }
        }

        private func json(_ file: String, _ ring: KeyringSummary) -> JSONObject {
            let keys = ring.keys.map {
                [
                    "kind": $0.kind.rawValue, "version": $0.version, "state": $0.state.rawValue,
                    "since": $0.since.description,
                ] as JSONObject
            }
            let databases = ring.databases.map {
                ["identity": Hex.encode($0.identity), "key": $0.keyVersion, "path": $0.path?.string] as JSONObject
            }
            return [
                "file": file, "purpose": ring.purpose.rawValue, "epoch": ring.epoch, "ring": "\(ring.ring)",
                "isVerified": credentials.isGiven, "publisher": ring.publisher?.description,
                "slots": ring.slots.map { ["name": $0.name, "opensWith": $0.opensWith] },
                "keys": keys, "databases": databases,
            ]
        }

        private func files() throws -> [KeyringFile] {
            if keyrings.named != nil || database != nil {
                return [keyrings.file(for: FilePath(database ?? ""))]
            }
            let folders = try keyrings.folders()
            let files = try folders.flatMap { try KeyringFile.all(in: $0) }
            guard !files.isEmpty else {
                throw LockstepError(
                    .notFound, "there are no keyrings \(folders.isEmpty ? "below this folder" : "in \(folders[0])")",
                    hint:
                        "make one with `lockstep init`, or name the database with --database or their folder with --keys"
                )
            }
            return files
        }

        private func show(_ file: String, _ ring: KeyringSummary) {
            Output.line("\(file): \(ring.purpose.rawValue) keyring, epoch \(ring.epoch), \(ring.ring)")
            Output.line(
                credentials.isGiven
                    ? "  MAC verified" : "  not opened, so its MAC is not verified")
            if let publisher = ring.publisher { Output.line("  signed by \(publisher)") }
            for slot in ring.slots {
                Output.line("  slot \(slot.name): \(slot.opensWith)")
            }
            for key in ring.keys {
                Output.line(
                    "  \(key.kind.rawValue) key \(key.version): \(key.state.rawValue) since " + key.since.description)
            }
            for database in ring.databases {
                Output.line("  database \(Hex.encode(database.identity)): \(state(database))")
            }
        }

        private func state(_ database: KeyringSummary.Database) -> String {
            guard let version = database.keyVersion else {
                return database.isSealed ? "has sealed columns" : "has no sealed column yet"
            }
            return "under key \(version)" + (database.path.map { ", at \($0)" } ?? "")
        }
    }
}
