/// What is counted of a table.
enum RowCounts {
    /// How many rows of `child` lack their parent, by the parent's name in lower case.
    static func orphans(_ child: String, _ core: ConnectionCore) throws -> [String: Int] {
        var counts: [String: Int] = [:]
        do {
            _ = try core.ask("PRAGMA main.foreign_key_check(\(name: child))") { row in
                counts[(try row[2] as String).asciiLowercased, default: 0] += 1
            }
        } catch let error as LockstepError where error.code == .sqlFailed {
            // SQLite cannot check a table with a reference to columns that are not unique.
            return [:]
        }
        return counts
    }

    /// How many rows a table has; nil if no statement can read it: its definition is broken.
    static func rows(_ table: String, _ core: ConnectionCore) throws -> Int64? {
        do {
            return try core.ask("SELECT count(*) FROM main.\(name: table)") { row in
                try row[0] as Int64
            }.first
        } catch let error as LockstepError where error.code == .sqlFailed {
            return nil
        }
    }
}
