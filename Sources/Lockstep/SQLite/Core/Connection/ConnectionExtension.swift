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

extension Connection {
    /// Begins a transaction in which the attachment's knowledge of the database is current.
    func begin(_ kind: Transaction.Kind) throws {
        let command: TransactionControl.Command =
            kind == .deferred ? .beginDeferred : .beginImmediate
        try run(command)
        guard let attachment = core.attachment else { return }
        do {
            while try !with(rights: .engine, { try attachment.isCurrent(self) }) {
                // What the attachment adds to the connection would be lost in a rollback.
                try run(.rollBack)
                try with(rights: .engine) { try attachment.refresh(self) }
                try run(command)
            }
        } catch {
            throw cleaningUp(after: error) { try rollBackIfOpen() }
        }
    }

    /// Runs `body`, which changes objects that only this connection has, even if the connection is read-only.
    func changingOwnSchema<Result>(_ body: () throws -> Result) throws -> Result {
        guard try value("PRAGMA query_only", as: Bool.self) == true else { return try body() }
        try run(.allowWriting)
        return try running(body) { try run(.forbidWriting) }
    }
}
