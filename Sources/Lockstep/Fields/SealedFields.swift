/// The datasets whose sealed columns connections open.
final class SealedFields: ConnectionExtension {
    let keys: [FieldKeys]
    /// Whether connections get readable views.
    let hasViews: Bool

    init(_ keys: [FieldKeys], hasViews: Bool = true) {
        self.keys = keys
        self.hasViews = hasViews
    }

    func attach(to connection: borrowing Connection) throws -> any ConnectionAttachment {
        try SealedSession(self, connection)
    }
}

extension ConnectionOptions {
    /// The keys of datasets whose sealed columns the connection reads and writes; none unless said otherwise.
    ///
    /// For each table with sealed columns, such as `movie`, the connection has a view `movie_open` of the same
    /// columns, which takes INSERT, UPDATE and DELETE. What is read through it is opened, and what is written
    /// is sealed. SQL may also call `lockstep_open('movie.title', title, id)` and
    /// `lockstep_seal('movie.title', 'a value', id)`, with the row's primary key last. The table itself holds
    /// cells, for everybody. A BLOB over 16 MiB is too long for SQL: ``Connection/withSealedBlob(_:_:)`` reads it, and
    /// a statement on the view that comes across it fails.
    ///
    /// Opening such a connection reads and checks what the database says of the datasets, some 0.2 ms; each
    /// transaction looks whether that has changed, 0.5 µs.
    public var fieldKeys: [FieldKeys] {
        get { (addition as? SealedFields)?.keys ?? [] }
        set { addition = newValue.isEmpty ? nil : SealedFields(newValue) }
    }
}

extension Connection {
    /// What this connection has of sealed columns; nil without fields keyrings.
    var sealed: SealedSession? { core.attachment as? SealedSession }
}
