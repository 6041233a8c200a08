/// What a layer above adds to each connection that is opened with it.
protocol ConnectionExtension: Sendable {
    /// Called once a connection is open, with the engine's rights.
    func attach(to connection: borrowing Connection) throws -> any ConnectionAttachment

    /// The same for procedures that run migrations, which may be the first to add what the layer looks for.
    /// - Parameter isChecked: Whether the procedure has opened the same database before, without this.
    func migrating(isChecked: Bool) -> any ConnectionExtension

    /// The same for all connections of one store, which learn from each other.
    /// - Parameter isNew: Whether the store makes its database.
    func shared(isNew: Bool) -> any ConnectionExtension
}

/// What an extension has of one connection. It is told when the connection closes by being let go of.
protocol ConnectionAttachment: AnyObject {
    /// Whether what it knows of the database is what the transaction that has just begun sees.
    func isCurrent(_ connection: borrowing Connection) throws -> Bool

    /// Learns it anew, outside any transaction.
    func refresh(_ connection: borrowing Connection) throws
}

extension Connection {
    /// Begins a transaction in which all that is attached to the connection knows what the database says.
    func begin(_ kind: Transaction.Kind) throws {
        let command: TransactionControl.Command =
            kind == .deferred ? .beginDeferred : .beginImmediate
        try run(command)
        guard let attachment = core.attachment else { return }
        do {
            while try !with(rights: .engine, { try attachment.isCurrent(self) }) {
                // What it adds to the connection would go with a transaction that is undone.
                try run(.rollBack)
                try with(rights: .engine) { try attachment.refresh(self) }
                try run(command)
            }
        } catch {
            // There is nothing in it yet, and the first error is the one to tell.
            if isInTransaction { try? run(.rollBack) }
            throw error
        }
    }

    /// Runs `body`, which changes what only this connection has, even where it may only read.
    func changingOwnSchema<Result>(_ body: () throws -> Result) throws -> Result {
        guard try value("PRAGMA query_only", as: Bool.self) == true else { return try body() }
        try run(.allowWriting)
        let result: Result
        do {
            result = try body()
        } catch {
            try run(.forbidWriting)
            throw error
        }
        try run(.forbidWriting)
        return result
    }
}
