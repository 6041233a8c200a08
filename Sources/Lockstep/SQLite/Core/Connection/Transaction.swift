/// An open transaction. Leaving its scope without ``commit()`` rolls it back.
struct Transaction: ~Copyable {
    /// The lock that a transaction starts with.
    enum Kind {
        /// None until the first read, which takes a snapshot.
        case deferred
        /// The write lock.
        case immediate
    }

    private let core: ConnectionCore
    private var isOver = false
    private let held: HeldLock?

    /// Begins a transaction on `connection`, which must have none open.
    init(_ kind: Kind, on connection: borrowing Connection) throws {
        let held = try LockOrder.transaction(isShared: kind == .immediate && connection.core.isShared)
        try connection.begin(kind)
        core = connection.core
        self.held = held
    }

    /// Makes the changes durable. If that fails they are rolled back.
    consuming func commit() throws(LockstepError) {
        try core.control.run(.commit, on: core)
        isOver = true
    }

    // Some errors, such as a full disk, have already rolled back. A rollback of an open transaction cannot
    // fail, and a deinitializer cannot report an error.
    deinit { if !isOver, core.isInTransaction { try? core.control.run(.rollBack, on: core) } }
}

extension Connection {
    /// Begins a transaction in which the attachment's knowledge of the database is current.
    func begin(_ kind: Transaction.Kind) throws {
        let command: TransactionControl.Command = kind == .deferred ? .beginDeferred : .beginImmediate
        try run(command)
        guard let attachment = core.attachment.state else { return }
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

extension Connection {
    /// Runs `body` in a transaction that holds the write lock from the start; if `body` throws, all its changes
    /// are undone. Inside an open transaction it runs as a savepoint.
    /// - Throws: The errors of `body`; ``LockstepError/Code/busy`` if another connection holds the write lock for
    ///   longer than the busy timeout; ``LockstepError/Code/misuse`` if an error has ended the transaction before
    ///   `body` ends, and `body` ignores it; ``LockstepError/Code/interrupted`` if the call is cancelled; SQLite's
    ///   errors of the commit, such as ``LockstepError/Code/full``.
    public func write<Result: ~Copyable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        try core.requireTransactionGoesOn("a write")
        guard !isInTransaction else { return try savepoint(body) }
        return try transaction(.immediate, body)
    }

    /// Runs `body` on one snapshot of the database, whatever others commit in the meantime.
    /// - Throws: The errors of `body`; ``LockstepError/Code/damaged`` if a page that it read does not verify;
    ///   ``LockstepError/Code/misuse`` if an error has ended the transaction before `body` ends, and `body` ignores it;
    ///   ``LockstepError/Code/interrupted`` if the call is cancelled.
    public func read<Result: ~Copyable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        try core.requireTransactionGoesOn("a read")
        guard !isInTransaction else { return try body(self) }
        return try transaction(.deferred, body)
    }

    /// Runs `body`; if it throws, its changes are undone, and earlier changes remain. Outside a transaction it
    /// runs in its own transaction.
    /// - Throws: The errors of ``write(_:)``.
    public func savepoint<Result: ~Copyable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        try core.requireTransactionGoesOn("a savepoint")
        guard isInTransaction else { return try transaction(.immediate, body) }
        try run(.savepoint)
        let mark = core.tracker.mark
        do {
            let result = try guarded(body)
            try run(.release)
            return result
        } catch {
            // The savepoint no longer exists if the error ended the whole transaction.
            guard isInTransaction else { throw error }
            do {
                try run(.rollBackToSavepoint)
                try run(.release)
                core.tracker.rollBack(to: mark)
            } catch {
                // Changes that could not be undone must not be committed: roll back the whole transaction.
                core.isDoomed = true
            }
            throw error
        }
    }

    func run(_ command: TransactionControl.Command) throws(LockstepError) {
        try core.control.run(command, on: core)
    }

    /// Rolls back the open transaction, unless an error has already ended it.
    func rollBackIfOpen() throws(LockstepError) {
        if isInTransaction { try run(.rollBack) }
    }

    private func transaction<Result: ~Copyable>(
        _ kind: Transaction.Kind, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let transaction = try Transaction(kind, on: self)
        do {
            let result = try guarded(body)
            // A commit of changes fails by itself after a page failure.
            if kind == .deferred { try core.readCheck.requireSound(core) }
            try core.unchanging?.require()
            try transaction.commit()
            return result
        } catch {
            // Pages of two moments can look like damage.
            try core.unchanging?.require()
            throw error
        }
    }

    /// Runs the closure of a transaction; SQL inside it cannot end the transaction.
    func guarded<Result: ~Copyable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        core.authorizer.openTransactions += 1
        defer { core.authorizer.openTransactions -= 1 }
        let result = try body(self)
        // An error such as a full disk ends the whole transaction, and `body` can have ignored it.
        guard isInTransaction, !core.isDoomed else {
            throw LockstepError(
                .misuse, "the transaction ended before its closure did",
                hint: "pass on the error that ended it instead of catching it")
        }
        // `body` can have used something other than the result of the interrupted statement.
        guard !core.owner.isCancelled else {
            throw LockstepError(.interrupted, "the transaction was cancelled before it ended")
        }
        return result
    }
}
