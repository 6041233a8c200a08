/// State that an upper layer adds to each connection that is opened with it.
protocol ConnectionExtension: Sendable {
    /// Called with the engine's rights once a connection is open.
    func attach(to connection: borrowing Connection) throws -> any ConnectionAttachment

    /// A variant for procedures that run migrations, which can be the first to add what the layer looks for.
    /// - Parameter isChecked: Whether the procedure has already opened the same database without this variant.
    func migrating(isChecked: Bool) -> any ConnectionExtension

    /// A variant for all connections of one store, which share what they learn.
    /// - Parameter isNew: Whether the store creates its database.
    func shared(isNew: Bool) -> any ConnectionExtension
}

/// An extension's state on one connection. Its deallocation marks the connection's close.
protocol ConnectionAttachment: AnyObject {
    /// Whether its knowledge of the database matches what the transaction that has just begun sees.
    func isCurrent(_ connection: borrowing Connection) throws -> Bool

    /// Reads that knowledge again, outside any transaction.
    func refresh(_ connection: borrowing Connection) throws
}

extension ConnectionCore {
    /// What an upper layer keeps on a connection.
    struct Attachment {
        /// Its state, if the connection was opened with an extension.
        var state: (any ConnectionAttachment)?
        /// The database's key, with which it opens its own connections.
        var key: SharedSecret<DatabaseKey>?
        /// Opens the file again, only to read; nil for a file that others do not use, and in memory.
        var openReader: (() throws -> Connection)?
        /// The tables in which it found sealed columns, and the schema version it saw.
        var claimed: (schema: Int64, tables: Set<SQLName>)?
        /// What it knows of the tables of records.
        var records: AnyObject?
        /// Whether SQL has the function that folds case.
        var foldsCase = false
    }
}
