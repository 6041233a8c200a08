/// Identifies one state of a dataset's column registry without the key that authenticates it.
struct RegistryMark: Sendable, Hashable {
    let changes: UInt64
    /// The MAC of the set.
    let code: [UInt8]

    /// The state that the database contains for the dataset; nil if there is none, or its values are impossible.
    init?(_ dataset: [UInt8], _ connection: borrowing Connection) throws {
        guard try EngineTables.exists(EngineTables.datasets, connection) else { return nil }
        let found = try connection.query(
            """
            SELECT changes, mac FROM main.lockstep_dataset
            WHERE dataset = ? AND typeof(changes) = 'integer' AND typeof(mac) = 'blob'
            """, dataset, as: (Int64, [UInt8]).self
        ).first
        guard let (changes, code) = found, let changes = UInt64(exactly: changes) else {
            return nil
        }
        self.changes = changes
        self.code = code
    }
}
