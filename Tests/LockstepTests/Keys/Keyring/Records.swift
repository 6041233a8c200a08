@testable import Lockstep

/// Made-up records of databases, as keyrings remember them.
enum Records {
    /// An id of one byte, repeated.
    static func id(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 16) }

    /// A record of a database, with names that need percent signs.
    static func sealed(
        _ database: [UInt8], changes: UInt64 = 1,
        columns: [(table: String, name: String)] = [
            ("movies", "title"), ("a b", "c.d"), ("Größe", "%"),
        ]
    ) -> SealedRecord {
        SealedRecord(
            database: database, changes: changes,
            code: [UInt8](repeating: UInt8(truncatingIfNeeded: changes), count: 32),
            columns: columns.map { SealedRecord.Column($0.table, $0.name) })
    }
}
