/// A fields keyring's records of its dataset's databases.
public struct SealedMemory: Sendable, Hashable {
    /// One record for each database, in the order of their ids.
    public let records: [SealedRecord]

    init(_ records: [SealedRecord] = []) { self.records = records }

    /// The record of the database with this id.
    package func record(of database: [UInt8]?) -> SealedRecord? {
        guard let database else { return nil }
        return records.first { $0.database == database }
    }
}
