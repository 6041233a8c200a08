import ArgumentParser
import Lockstep

extension Release {
    /// `lockstep release make`: signs the contents of a dataset.
    struct Make: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sign the current contents of a dataset.",
            discussion: """
                Writes the manifest into the database, in place of the previous one. Ship the file after that: any \
                change to the tables with sealed columns, their indexes or the schema needs another release. The \
                keyring must be the publisher's own: an issued keyring cannot sign.
                """)

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions
        @OptionGroup var waiting: WaitOptions

        @Option(
            help: "The dataset, whose fields keyring is beside the database or in a keyring folder."
        )
        var dataset: String

        @Option(help: "The release's number. (default: one more than the last)")
        var number: UInt64?

        @Flag(help: "Replace a manifest of another publisher.")
        var replaceForeign = false

        func run() throws {
            try access.limitOptions.start()
            let path = try access.database.path()
            try Diagnosis.requireDatabase(path)
            let source = CredentialSource(access.credentials)
            let fields = try FieldsKeyring(access.keyrings.fields(of: dataset, for: path), named: dataset, source)
            let file = try access.keyringFile()
            let database = OpenedKeyring(file, try source.open(file), reopen: { try source.open(file) })
            // The released state must not be older than the one that the keyring remembers.
            let keyrings = OpenedKeyrings(path, database, [fields.opened])
            var options = ConnectionOptions()
            // A release is all that there is: commits that a damaged log hides are recovered first.
            options.damagedLog = .refuse
            SetAsideNotice.show(path)
            // Within a statement that sorts a table.
            options.progress = Interruption.handler
            let progress = CopyProgressLine("release")
            // Columns that are sealed or unsealed meanwhile are no contents to sign.
            let manifest = try fields.opened.file.whileUnused {
                try Manifest.make(
                    fields.opened.keyring, in: keyrings.connect(options), number: number,
                    replacingForeign: replaceForeign
                ) { try progress.show($0) }
            }
            guard output.format == .text else { return try Output.json(manifest.json) }
            manifest.show()
            Output.line("signed by \(manifest.publisher)")
        }
    }
}
