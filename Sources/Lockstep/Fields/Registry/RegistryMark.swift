/// What tells one state of a dataset's column registry from another, without the key that proves it.
struct RegistryMark: Sendable, Hashable {
    let changes: UInt64
    /// The code of the set.
    let code: [UInt8]

    /// What the database says of the dataset; nil if nothing that could be right.
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
