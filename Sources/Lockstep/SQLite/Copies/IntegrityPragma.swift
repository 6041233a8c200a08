internal import CSQLCipher

/// SQLite's own integrity check.
enum IntegrityPragma {
    /// The first faults that SQLite reports, at most `limit`; none if everything agrees.
    static func faults(_ connection: borrowing Connection, limit: Int) throws -> [String] {
        do {
            let answers = try connection.query(
                SQL(verbatim: "PRAGMA main.integrity_check(\(limit))")
            ) {
                row in try row[0] as String
            }
            return answers == ["ok"] ? [] : answers
        } catch let error as LockstepError where error.code == .sqlFailed && error.sqliteCode == SQLITE_NOMEM {
            // The data of a virtual table can name a size that no memory has; the check then ends instead of answering.
            return ["the check ends early: \(error.message)"]
        }
    }

    /// - Throws: ``LockstepError/Code/damaged`` with the first fault that SQLite reports.
    static func require(_ connection: borrowing Connection) throws {
        guard let first = try faults(connection, limit: 1).first else { return }
        throw LockstepError(
            .damaged, "\(connection.path) fails SQLite's integrity check: \(first)",
            hint: "restore it from a backup", context: .file(connection.path))
    }
}
