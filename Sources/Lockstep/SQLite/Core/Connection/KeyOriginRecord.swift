/// What a database records of the keyring that its key comes from.
///
/// The layer that keeps the record, above this one, says how ``DatabaseKey/Origin`` does it.
protocol KeyOriginRecord {
    /// Gives a new database its id and its record, with the engine's rights.
    func add(to connection: borrowing Connection) throws

    /// Refuses a file that is not what the keyring records, and a key from a keyring that is older than the record.
    /// Called with the engine's rights when a database is opened.
    func requireCurrent(
        in connection: borrowing Connection, under key: borrowing DatabaseKey) throws
}

extension DatabaseKey {
    /// The record of the keyring that the key comes from; nil for a raw key.
    var originRecord: (any KeyOriginRecord)? { origin }
}
