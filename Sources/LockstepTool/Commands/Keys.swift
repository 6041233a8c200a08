import ArgumentParser
import FoundationEssentials
import Lockstep
import SystemPackage

/// `lockstep keys`: what concerns keyrings and keys.
struct Keys: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List keyrings, make key files, export a raw key.",
        subcommands: [List.self, CreateKeyFile.self, ExportRaw.self])
}

extension Keys {
    /// `lockstep keys list`
    struct List: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what a keyring holds, without any secret.",
            discussion: """
                Shows every keyring of the folder, or the one that --keyring or --database names. \
                With --key-file or --passphrase-fd each is opened too, which proves its MAC.
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
                    slots: summary.slots.map { Slot(name: $0.name, opensWith: Self.name($0.kind)) },
                    keys: summary.keys.map {
                        Key(
                            kind: $0.kind.rawValue, version: $0.version, state: $0.state.rawValue,
                            since: $0.since.description)
                    })
            }
            guard output.format == .text else { return try Output.json(rings) }
            for ring in rings { Self.tell(ring) }
        }

        private func files() throws -> [KeyringFile] {
            if keyrings.keyring != nil || database != nil {
                return [keyrings.file(for: FilePath(database ?? ""))]
            }
            let files = try KeyringFile.all(in: keyrings.folder)
            guard !files.isEmpty else {
                throw LockstepError(
                    .notFound, "there are no keyrings in \(keyrings.folder)",
                    hint: "make one with `lockstep init`, or name the folder with --keys")
            }
            return files
        }

        private static func tell(_ ring: Ring) {
            Output.line("\(ring.file): \(ring.purpose) keyring, epoch \(ring.epoch)")
            Output.line(
                ring.isVerified ? "  MAC verified" : "  not opened, so its MAC is not verified")
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
            case .other(let type): "\(type), which this version cannot open"
            }
        }
    }

    /// `lockstep keys create-key-file`
    struct CreateKeyFile: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key file: 32 random bytes that only you can read.",
            discussion: "Keep it apart from the keyring that it opens, and keep a copy.")

        @Argument(help: "The file to make.")
        var file: String

        func run() throws {
            try KeyFile.create(FilePath(file))
            Output.line("made the key file \(file)")
        }
    }

    /// `lockstep keys export-raw`
    struct ExportRaw: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the database's raw key, for another SQLCipher program.",
            discussion: """
                Whoever has this line opens the database, now and until its key is rotated. In the \
                sqlcipher shell it is used as: PRAGMA key = "<the line>";
                """)

        @OptionGroup var access: AccessOptions

        @Flag(help: "Confirm that the key may be printed.")
        var iUnderstand = false

        func run() throws {
            guard iUnderstand else {
                throw ValidationError(
                    "the raw key opens the database for whoever sees it: confirm with --i-understand"
                )
            }
            let session = try access.session()
            try session.key().writeKeyspec(to: .standardOutput)
        }
    }
}
