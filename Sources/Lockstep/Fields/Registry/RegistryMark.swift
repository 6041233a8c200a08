/// Identifies one state of a dataset's column registry without the key that authenticates it.
package struct RegistryMark: Sendable, Hashable {
    package let changes: UInt64
    /// The MAC of the set.
    package let code: [UInt8]

    package init(changes: UInt64, code: [UInt8]) { (self.changes, self.code) = (changes, code) }

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
