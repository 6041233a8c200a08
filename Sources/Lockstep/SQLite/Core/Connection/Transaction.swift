internal import CSQLCipher

/// An open transaction. Leaving its scope without ``commit()`` rolls it back.
struct Transaction: ~Copyable {
    /// Which lock a transaction starts with.
    enum Kind {
        /// None until the first read; then a snapshot.
        case deferred
        /// The write lock.
        case immediate
    }

    private let core: ConnectionCore
    private var isOver = false

    /// Begins a transaction on `connection`, which must have none open.
    init(_ kind: Kind, on connection: borrowing Connection) throws {
        try connection.begin(kind)
        core = connection.core
    }

    /// Makes the changes durable. If that fails they are rolled back.
    consuming func commit() throws(LockstepError) {
        try core.control.run(.commit, on: core)
        isOver = true
    }

    // Some errors, such as a full disk, have rolled back already. A rollback cannot fail where one is
    // open, and there is nobody to tell.
    deinit { if !isOver, core.isInTransaction { try? core.control.run(.rollBack, on: core) } }
}

extension Connection {
    /// Runs `body` in a transaction that holds the write lock from the start; if `body` throws, nothing
    /// of it remains. Inside an open transaction it is a savepoint of that one.
    public func write<Result: ~Copyable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        try core.requireTransactionGoesOn("a write")
        guard !isInTransaction else { return try savepoint(body) }
        return try transaction(.immediate, body)
    }

    /// Runs `body` on one snapshot of the database, whatever others commit meanwhile.
    public func read<Result: ~Copyable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        try core.requireTransactionGoesOn("a read")
        guard !isInTransaction else { return try body(self) }
        return try transaction(.deferred, body)
    }

    /// Runs `body` so that, if it throws, what it changed is undone, and what came before it is not.
    /// Outside a transaction it is one of its own.
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
            // Gone already if the error ended the whole transaction.
            guard isInTransaction else { throw error }
            do {
                try run(.rollBackToSavepoint)
                try run(.release)
                core.tracker.rollBack(to: mark)
            } catch {
                // What could not be undone must not be committed either: the whole transaction goes.
                core.isDoomed = true
            }
            throw error
        }
    }

    func run(_ command: TransactionControl.Command) throws(LockstepError) {
        try core.control.run(command, on: core)
    }

    private func transaction<Result: ~Copyable>(
        _ kind: Transaction.Kind, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let transaction = try Transaction(kind, on: self)
        let result = try guarded(body)
        // A commit of changes fails by itself where a page failed.
        if kind == .deferred { try core.readCheck.requireSound(core) }
        try transaction.commit()
        return result
    }

    /// Runs the closure of a transaction, which SQL cannot end from within.
    func guarded<Result: ~Copyable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        core.authorizer.openTransactions += 1
        defer { core.authorizer.openTransactions -= 1 }
        let result = try body(self)
        // An error such as a full disk ends the whole transaction, and `body` may have passed over it.
        guard isInTransaction, !core.isDoomed else {
            throw LockstepError(
                .misuse, "the transaction ended before its closure did",
                hint: "pass on the error that ended it instead of catching it")
        }
        // The closure may have gone on with something else than what the interrupted statement would give.
        guard !core.borrower.isCancelled else {
            throw LockstepError(.interrupted, "this was cancelled before it ended")
        }
        return result
    }
}
