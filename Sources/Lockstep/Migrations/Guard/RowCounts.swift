/// The row counts of a table.
enum RowCounts {
    /// The number of rows of `child` without a parent, by parent.
    static func orphans(_ child: SQLName, _ core: ConnectionCore) throws -> [SQLName: Int] {
        var counts: [SQLName: Int] = [:]
        do {
            _ = try core.ask("PRAGMA main.foreign_key_check(\(name: child.spelling))") { row in
                counts[try row[2], default: 0] += 1
            }
        } catch let error as LockstepError where error.code == .sqlFailed {
            // SQLite cannot check a table with a reference to columns that are not unique.
            return [:]
        }
        return counts
    }

    /// The number of rows of a table; nil if no statement can read the table because its definition is broken.
    static func rows(_ table: SQLName, _ core: ConnectionCore) throws -> Int64? {
        do {
            return try core.ask("SELECT count(*) FROM main.\(name: table.spelling)") { row in
                try row[0] as Int64
            }.first
        } catch let error as LockstepError where error.code == .sqlFailed {
            return nil
        }
    }
}
