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

    /// Opens the database.
    /// - Parameters:
    ///   - canBeFirst: Whether the caller can be the first to seal anything in it.
    ///   - isFirst: Whether it is known to be new to the fields keyrings.
    package func connect(
        _ options: ConnectionOptions, canBeFirst: Bool = false, isFirst: Bool = false
    ) throws -> Connection {
        try readingAgain {
            try Connection.open(path, key: key(), options: completed(options, canBeFirst, isFirst))
        }
    }

    /// Opens the database as a store.
    /// - Parameters: as in ``connect(_:canBeFirst:isFirst:)``.
    package func store(_ options: StoreOptions, canBeFirst: Bool = false, isFirst: Bool = false) throws -> Store {
        try readingAgain {
            var options = options
            options.connection = completed(options.connection, canBeFirst, isFirst)
            return try Store.open(path, rawKey: key(), options: options)
        }
    }

    private func completed(
        _ options: ConnectionOptions, _ canBeFirst: Bool, _ isFirst: Bool
    ) -> ConnectionOptions {
        var options = options
        options.fieldKeys = fieldKeys
        guard !fields.isEmpty else { return options }
        if canBeFirst { options.mayBeUnsealed = true }
        if isFirst { options.firstTime = true }
        return options
    }
}
