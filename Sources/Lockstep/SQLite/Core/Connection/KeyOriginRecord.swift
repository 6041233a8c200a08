/// What a database records of the keyring that its key comes from.
///
/// The layer that keeps the record, above this one, says how ``DatabaseKey/Origin`` does it.
protocol KeyOriginRecord {
    /// Gives a new database its id and its record, with the engine's rights.
    func add(to connection: borrowing Connection) throws

    /// Refuses a file that is not what the keyring records, and a key from a keyring that is older than the record.
    /// Called with the engine's rights when a database is opened.
    /// - Returns: Whether the file is a copy that lies elsewhere than its database.
    func requireCurrent(
        in connection: borrowing Connection, under key: borrowing DatabaseKey, isLater: Bool
    ) throws -> Bool

    /// Runs a job that makes a file under the key: meanwhile no key of the keyring can be destroyed.
    func whileUsed<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result
}

extension DatabaseKey {
    /// The record of the keyring that the key comes from; nil for a raw key.
    var originRecord: (any KeyOriginRecord)? { origin }

    /// Runs a job that makes a file under the key, or from one: meanwhile no key of its keyring can be destroyed. A raw
    /// key has no keyring.
    /// - Throws: ``LockstepError/Code/locked``; any error from `body`.
    borrowing func whileUsed<Result: ~Copyable>(
        _ body: () throws -> Result
    ) throws -> Result {
        guard let originRecord else { return try body() }
        return try originRecord.whileUsed(body)
    }
}
