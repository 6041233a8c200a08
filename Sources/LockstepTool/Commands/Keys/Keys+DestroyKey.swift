import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys destroy-key`: destroys a key.
    struct DestroyKey: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Destroy a key that nothing needs any more. This cannot be undone.",
            discussion: """
                Looks at the databases that the keyring records, where it last saw them and at those that --database \
                names, and at the files beside them, and refuses while one of them needs the key or was not found. \
                With a dataset's key, name each database with --database. Backups made under a destroyed database key \
                can be read only with an older copy of the keyring; those beside the databases are named.
                """)

        @OptionGroup var keyrings: KeyringOptions
        @OptionGroup var waiting: WaitOptions
        @OptionGroup var credentials: CredentialOptions
        @OptionGroup var key: KeyArguments
        @OptionGroup var limitOptions: LimitOptions

        @Option(
            name: [.short, .long], parsing: .singleValue,
            help: ArgumentHelp(
                "A database that might need the key. Can be repeated.",
                discussion: "Without --keyring and --dataset, the key is in the first one's keyring.")) var database:
            [String] = []

        @Option(help: "The fields keyring of this dataset has the key.")
        var dataset: String?

        @Option(
            help: ArgumentHelp(
                "With a dataset's key: the databases' keyring, if it is not each database's own.",
                valueName: "keyring"))
        var databaseKeyring: String?

        @Option(
            parsing: .singleValue,
            help: ArgumentHelp(
                "Give up a recorded database that no longer exists. Can be repeated.",
                discussion:
                    "Its identity is 32 hexadecimal digits, as `lockstep keys list` prints it.",
                valueName: "identity"),
            transform: identity)
        var lost: [[UInt8]] = []

        @Flag(help: "Confirm that the data it encrypted may be lost.")
        var iUnderstand = false

        func validate() throws {
            guard keyrings.named == nil || dataset == nil else {
                throw ValidationError("name one keyring: with --keyring or --dataset")
            }
            guard keyrings.keyring != nil || dataset != nil || !database.isEmpty else {
                throw ValidationError("name a keyring: with --keyring, --database or --dataset")
            }
        }

        func run() throws {
            try limitOptions.start()
            guard iUnderstand else {
                throw ValidationError("the data that the key encrypted becomes unreadable: confirm with --i-understand")
            }
            let source = CredentialSource(credentials)
            let file = try file()
            var keyring = try source.open(file)
            var destruction = KeyDestruction(
                of: key.kind.kind, version: key.version, keyring: file)
            destruction.databases = database.map { FilePath($0) }
            destruction.lost = Set(lost)
            for path in destruction.databases { try Diagnosis.requireDatabase(path) }
            let report = try destruction.run(&keyring) { path in
                try source.open(keyringFile(of: path)).databaseKey(for: path)
            }
            Output.line("destroyed \(key.name) in \(file.path)")
            if !report.backups.isEmpty {
                Output.note(
                    "notice: \(counted(report.backups.count, "backup")) will not open any more: "
                        + report.backups.map(\.string).joined(separator: ", "))
            }
            guard keyring.purpose == .database else { return }
            for path in destruction.databases { Remembering.show(path, of: &keyring, in: file) }
            Remembering.showAll(of: &keyring, in: file, besides: destruction.databases.first)
        }

        /// The keyring that has the key.
        private func file() throws -> KeyringFile {
            if let dataset {
                let first = database.first ?? Environment.text("LOCKSTEP_DATABASE")
                return try keyrings.fields(of: dataset, for: first.map { FilePath($0) })
            }
            return keyrings.file(for: FilePath(database.first ?? ""))
        }

        /// The keyring that opens a database with cells of the dataset.
        private func keyringFile(of path: FilePath) -> KeyringFile {
            if let databaseKeyring { return KeyringFile(FilePath(databaseKeyring)) }
            return keyrings.ownFile(of: path)
        }

        private static func identity(_ text: String) throws -> [UInt8] {
            guard let bytes = Hex.decode(text), bytes.count == 16 else {
                throw ValidationError("an identity is 32 hexadecimal digits")
            }
            return bytes
        }
    }
}
