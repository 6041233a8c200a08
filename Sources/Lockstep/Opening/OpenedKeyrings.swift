package import SystemPackage

/// The keyrings of a database: the one way in which programs and the tool open it with them.
///
/// A keyring and its database can change between the moments in which a program reads the one and the other; see
/// ``ReadAgain``. The key is found by the file, so that a rotation that was interrupted keeps nobody out.
package struct OpenedKeyrings {
    package let path: FilePath
    package let database: OpenedKeyring
    /// The keyrings of the datasets whose sealed columns are opened.
    package let fields: [OpenedFields]

    package init(_ path: FilePath, _ database: OpenedKeyring, _ fields: [OpenedFields]) {
        self.path = path
        self.database = database
        self.fields = fields
    }

    /// The field keys of the datasets.
    package var fieldKeys: [FieldKeys] { fields.map(\.keys) }

    /// The key that encrypts the database, also after an interrupted rotation.
    package func key() throws -> DatabaseKey { try database.keyring.databaseKey(for: path) }

    /// Reads each of the keyrings again.
    /// - Returns: Whether any has another version.
    package func reread() throws -> Bool {
        let news = try [database.reread()] + fields.map { try $0.reread() }
        return news.contains(true)
    }

    /// Runs `body`; if a keyring proves older than the database, reads all of them again and runs it once more.
    package func readingAgain<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        try ReadAgain().run(rereading: { try reread() }, body)
    }

    /// Whether the keyrings show that a database has no sealed columns yet, instead of the file: the database's
    /// keyring records which database it is, so that a fields keyring without a record of it has never sealed anything
    /// there; or no fields keyring has a record of any.
    package var isFirstTimeKnown: Bool {
        database.keyring.recordsDatabases || !fields.contains { $0.isUsed }
    }

    /// Opens the database.
    /// - Parameter isFirst: Whether nothing need be sealed in it yet.
    package func connect(
        _ options: ConnectionOptions, isFirst: Bool = false
    ) throws -> Connection {
        try readingAgain {
            try Connection.open(path, key: key(), options: completed(options, isFirst))
        }
    }

    /// Opens the database as a store.
    /// - Parameter isFirst: Whether nothing need be sealed in it yet.
    package func store(_ options: StoreOptions, isFirst: Bool = false) throws -> Store {
        try readingAgain {
            var options = options
            options.connection = completed(options.connection, isFirst)
            return try Store.open(path, rawKey: key(), options: options)
        }
    }

    private func completed(_ options: ConnectionOptions, _ isFirst: Bool) -> ConnectionOptions {
        var options = options
        options.fieldKeys = fieldKeys
        if isFirst, !fields.isEmpty { options.mayBeUnsealed = true }
        return options
    }
}
