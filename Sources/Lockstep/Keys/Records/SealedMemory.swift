/// The databases of a dataset that its fields keyring remembers.
public struct SealedMemory: Sendable, Hashable {
    /// One for each database, in the order of their ids.
    public let records: [SealedRecord]

    init(_ records: [SealedRecord] = []) { self.records = records }

    /// What is remembered of the database with this id.
    func record(of database: [UInt8]?) -> SealedRecord? {
        guard let database else { return nil }
        return records.first { $0.database == database }
    }
}
