import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys list`: lists the contents of keyrings.
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the contents of a keyring, without any secret.",
            discussion: """
                Lists every keyring in the folder, or the one that --keyring or --database names. With \
                --key-file or --passphrase-fd, each keyring is also opened, which verifies its MAC.
                """)

        @OptionGroup var keyrings: KeyringOptions
        @OptionGroup var credentials: CredentialOptions
        @OptionGroup var output: FormatOptions

        @Option(name: [.short, .long], help: "Only this database's keyring.")
        var database: String?

        private struct Slot: Encodable {
            let name: String
            let opensWith: String
        }

        private struct Key: Encodable {
            let kind: String
            let version: UInt32
            let state: String
            let since: String
        }

        private struct Ring: Encodable {
            let file: String
            let purpose: String
            let epoch: UInt64
            let isVerified: Bool
            let publisher: String?
            let slots: [Slot]
            let keys: [Key]
        }

        func run() throws {
            let source = CredentialSource(credentials)
            let rings = try files().map { file in
                let summary =
                    credentials.isGiven
                    ? try source.open(file).summary : try file.summary()
                return Ring(
                    file: file.path.string, purpose: summary.purpose.rawValue,
                    epoch: summary.epoch, isVerified: credentials.isGiven,
                    publisher: summary.publisher?.description,
                    slots: summary.slots.map { Slot(name: $0.name, opensWith: Self.name($0.kind)) },
                    keys: summary.keys.map {
                        Key(
                            kind: $0.kind.rawValue, version: $0.version, state: $0.state.rawValue,
                            since: $0.since.description)
                    })
            }
            guard output.format == .text else { return try Output.json(rings) }
            for ring in rings { Self.show(ring) }
        }

        private func files() throws -> [KeyringFile] {
            if keyrings.keyring != nil || database != nil {
                return [keyrings.file(for: FilePath(database ?? ""))]
            }
            let files = try KeyringFile.all(in: keyrings.folder)
            guard !files.isEmpty else {
                throw LockstepError(
                    .notFound, "there are no keyrings in \(keyrings.folder)",
                    hint: "make one with `lockstep init`, or name the folder with --keys",
                    context: .file(keyrings.folder))
            }
            return files
        }

        private static func show(_ ring: Ring) {
            Output.line("\(ring.file): \(ring.purpose) keyring, epoch \(ring.epoch)")
            Output.line(
                ring.isVerified ? "  MAC verified" : "  not opened, so its MAC is not verified")
            if let publisher = ring.publisher { Output.line("  signed by \(publisher)") }
            for slot in ring.slots { Output.line("  slot \(slot.name): \(slot.opensWith)") }
            for key in ring.keys {
                Output.line("  \(key.kind) key \(key.version): \(key.state) since \(key.since)")
            }
        }

        private static func name(_ kind: SlotDescription.Kind) -> String {
            switch kind {
            case .passphrase(let logN): "passphrase, scrypt with N = 2^\(logN)"
            case .keyFile: "key file"
            case .environment(let variable): "environment variable \(variable)"
            case .command: "a command"
            case .identity: "an identity"
            case .plugin(let plugin, _): "the age plugin \(plugin)"
            case .other(let type): "\(type), which this version cannot open"
            }
        }
    }
}
