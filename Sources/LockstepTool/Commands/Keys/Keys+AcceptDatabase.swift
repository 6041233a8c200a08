import ArgumentParser
import Lockstep
import LockstepPostgres

extension Keys {
    /// `lockstep keys accept-database`: accepts a database that differs from what its keyrings remember.
    struct AcceptDatabase: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Accept a database as it is, whatever its keyrings remember of it.",
            discussion: """
                A keyring lists the databases that it opens, and a fields keyring remembers the newest state of each. \
                A database that no longer remembers its keyring, or that proves an older state of its sealed columns, \
                is refused, because anyone who can open the database can put it into that state. Use this command if \
                you did so on purpose: you restored a backup, or a database from before ids shares a keyring. It \
                changes the keyrings, and gives the database an id if it has none.

                The database's proof of a dataset must be authentic even then. If it is damaged or gone, it is made \
                again from what the fields keyring remembers, if cells prove that; a database without a proof and \
                without cells is one in which nothing is sealed. An older copy of the database's keyring is not \
                accepted, and neither is a copy beside the database, which changes nothing in what is known of that.

                With --url, the fields keyrings that --fields names accept a database on a server as it is.
                """)

        @OptionGroup var access: FileOrServerOptions
        @OptionGroup var limitOptions: LimitOptions
        @OptionGroup var waiting: WaitOptions

        @Flag(help: "Record a database in a keyring that records others but not this one.") var new = false

        @Flag(help: "Confirm that the database's present state is the right one.")
        var iUnderstand = false

        func validate() throws {
            guard access.server.isNamed, access.fields.datasets.isEmpty else { return }
            throw ValidationError("on a server the fields keyrings alone remember a database: name them with --fields")
        }

        func run() throws {
            try limitOptions.start()
            guard iUnderstand else {
                throw ValidationError(
                    "this accepts even an older state that someone restored: confirm with --i-understand")
            }
            if access.server.isNamed { return try acceptOnServer() }
            let path = try access.path()
            try Diagnosis.requireDatabase(path)
            let source = CredentialSource(access.credentials)
            let file = try access.keyringFile()
            var keyring = try source.open(file)
            let fields = try access.fields.open(access.keyrings, of: path, source)
            do {
                // Without field keys, which would refuse a lost registry.
                let connection = try ReadAgain().run(
                    rereading: { try source.reread(file, &keyring) }
                ) {
                    let connection = try Connection.open(path, key: keyring.keyOfNew(path))
                    try requireKnown(connection, keyring)
                    return connection
                }
                // A copy's state is none of the database's, which lies elsewhere.
                try keyring.requireNoOther(than: path, connection.databaseID(), in: file)
                try ReadAgain().run(rereading: { try source.reread(file, &keyring) }) {
                    try keyring.bind(connection, in: file)
                }
                Output.line("\(file.path) lists \(path)")
                for dataset in fields {
                    for line in try dataset.rebuildIfLost(connection) { Output.line(line) }
                }
            }
            guard !fields.isEmpty else { return }
            var options = ConnectionOptions()
            options.fieldKeys = fields.map { $0.keys.withoutMemory() }
            options.mayBeUnsealed = true
            let connection = try ReadAgain().run(
                rereading: { try source.reread(file, &keyring) }
            ) {
                try Connection.open(path, key: keyring.keyOfNew(path), options: options)
            }
            for dataset in fields { Output.line(try dataset.accept(connection)) }
        }

        private func acceptOnServer() throws {
            let source = CredentialSource(access.credentials)
            let fields = try access.fields.open(access.keyrings, of: nil, source)
            let connection = try access.server.connect(keys: fields.map { $0.keys.withoutMemory() }, isNew: true)
            let identity = try connection.databaseID()
            for dataset in fields where !new {
                let known = dataset.keys.memory.records.map(\.database)
                guard !known.isEmpty, !known.contains(where: { $0 == identity }) else {
                    continue
                }
                throw unknown("\(connection.address)", "\(dataset.path)")
            }
            for dataset in fields { Output.line(try dataset.accept(connection)) }
        }

        /// Anyone who can open a file can give it another identity, so a new one is accepted only on request.
        private func requireKnown(
            _ connection: borrowing Connection, _ keyring: borrowing Keyring
        ) throws {
            let databases = keyring.summary.databases.map(\.identity)
            guard !new, !databases.isEmpty else { return }
            if let identity = try connection.databaseID(), databases.contains(identity) { return }
            throw unknown("\(connection.path)", "its keyring")
        }

        private func unknown(_ database: String, _ keyring: String) -> LockstepError {
            LockstepError(
                .unknownDatabase, "\(database) is not a database that \(keyring) records",
                hint:
                    "if it is a database of its own, and not one of those under another identity, add --new"
            )
        }
    }
}
