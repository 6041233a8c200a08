internal import CSQLCipher

/// An open transaction. Leaving its scope without ``commit()`` rolls it back.
@safe
struct Transaction: ~Copyable {
    /// Which lock a transaction starts with.
    enum Kind: String {
        /// None until the first read; then a snapshot.
        case deferred = "DEFERRED"
        /// The write lock, so that it cannot fail half-way for want of it.
        case immediate = "IMMEDIATE"
    }

    private let database: OpaquePointer

    /// Begins a transaction on `connection`, which must have none open.
    init(_ kind: Kind, on connection: borrowing Connection) throws {
        try connection.with(rights: .engine) {
            try connection.execute("BEGIN \(kind.rawValue)")
        }
        unsafe database = unsafe connection.handle
    }

    /// Makes the changes durable. If that fails they are rolled back.
    consuming func commit() throws(LockstepError) {
        let database = unsafe self.database
        let code = unsafe sqlite3_exec(database, "COMMIT", nil, nil, nil)
        if code == SQLITE_OK {
            discard self
        } else {
            let error = unsafe ResultCode.error(code, on: database)
            _ = consume self
            throw error
        }
    }

    // Some errors, such as a full disk, have rolled back already.
    deinit {
        if unsafe sqlite3_get_autocommit(database) == 0 {
            unsafe sqlite3_exec(database, "ROLLBACK", nil, nil, nil)
        }
    }
}

extension Connection {
    /// Runs `body` in a transaction that holds the write lock from the start; if `body` throws, nothing
    /// of it remains. Inside an open transaction it is a savepoint of that one.
    public func write<Result: ~Copyable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        guard !isInTransaction else { return try savepoint(body) }
        return try transaction(.immediate, body)
    }

    /// Runs `body` on one snapshot of the database, whatever others commit meanwhile.
    public func read<Result: ~Copyable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        guard !isInTransaction else { return try body(self) }
        return try transaction(.deferred, body)
    }

    /// Runs `body` so that, if it throws, what it changed is undone, and what came before it is not.
    /// Outside a transaction it is one of its own.
    public func savepoint<Result: ~Copyable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        guard isInTransaction else { return try transaction(.immediate, body) }
        try control("SAVEPOINT lockstep_savepoint")
        do {
            let result = try guarded(body)
            try control("RELEASE lockstep_savepoint")
            return result
        } catch {
            // Gone already if the error ended the whole transaction.
            if isInTransaction {
                try control("ROLLBACK TO lockstep_savepoint")
                try control("RELEASE lockstep_savepoint")
            }
            throw error
        }
    }

    private func transaction<Result: ~Copyable>(
        _ kind: Transaction.Kind, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let transaction = try Transaction(kind, on: self)
        let result = try guarded(body)
        try transaction.commit()
        return result
    }

    /// Runs the closure of a transaction, which SQL cannot end from within.
    private func guarded<Result: ~Copyable>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        authorizer.openTransactions += 1
        defer { authorizer.openTransactions -= 1 }
        let result = try body(self)
        // An error such as a full disk ends the whole transaction, and `body` may have passed over it.
        guard isInTransaction else {
            throw LockstepError(
                .misuse, "the transaction ended before its closure did",
                hint: "pass on the error that ended it instead of catching it")
        }
        return result
    }

    private func control(_ sql: String) throws {
        try with(rights: .engine) { try execute(sql) }
    }
}
