import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys accept-database`
    struct AcceptDatabase: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a database as it is, whatever its keyrings remember of it.",
            discussion: """
                A keyring lists the databases that it opens, and a fields keyring remembers how far each had come. A \
                file that has lost its memory of the keyring, or proves an older state of its sealed columns, is \
                refused, because anyone who can open the database can put it into that state. This command is for the \
                one who did so on purpose: with a backup that was put back, or with a database from before ids that \
                shares a keyring. It changes the keyrings, and gives the database its id if it has none.

                What the file proves of a dataset must be authentic all the same. A file that proves nothing is not \
                accepted, and neither is an older copy of the database's keyring.
                """)

        @OptionGroup var access: AccessOptions

        @Flag(help: "Confirm that the database is right as it is.")
        var iUnderstand = false

        func run() throws {
            guard iUnderstand else {
                throw ValidationError(
                    "an older state that somebody has put back is taken for the right one: confirm with --i-understand"
                )
            }
            let path = try access.database.path()
            try Diagnosis.requireDatabase(path)
            let source = CredentialSource(access.credentials)
            let file = try access.keyringFile()
            var keyring = try source.open(file)
            let fields = try access.fields.open(in: access.keyrings.folder, source)
            var options = ConnectionOptions()
            options.fieldKeys = fields.map { $0.keys.withoutMemory() }
            let connection = try Connection.open(
                path, key: keyring.keyOfNew(path), options: options)
            try keyring.bind(connection, in: file)
            Output.line("\(file.path) lists \(path)")
            for dataset in fields {
                try dataset.accept(connection)
                Output.line("\(dataset.path) remembers \(path) as it is now")
            }
        }
    }
}
