internal import CSQLCipher

/// SQLite's own integrity check.
enum IntegrityPragma {
    /// The first faults that SQLite reports, at most `limit`; none if everything agrees. Collations that only the program of
    /// the file has are lent to the connection.
    static func faults(_ connection: borrowing Connection, limit: Int) throws -> [String] {
        try check(connection, limit: limit).faults
    }

    /// The same, with the names of the collations that were lent.
    static func check(
        _ connection: borrowing Connection, limit: Int
    ) throws -> (faults: [String], collations: [String]) {
        do {
            return (try answers(connection, limit), [])
        } catch let error as LockstepError where error.context.missing?.kind == .collation {
            return try OwnCollations.lend(to: connection, isRepeated: true) { own in
                let faults = try answers(connection, limit)
                // A CHECK can compare with a text that stands nowhere.
                if !faults.isEmpty, own.isComplete, !faults.contains(where: { $0.begins(with: "CHECK") }) {
                    own.forget()
                }
                return (faults, own.names)
            }
        }
    }

    private static func answers(
        _ connection: borrowing Connection, _ limit: Int, _ pragma: String = "integrity_check"
    ) throws -> [String] {
        do {
            let answers = try connection.query(
                SQL(verbatim: "PRAGMA main.\(pragma)(\(limit))")
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
        try require(faults(connection, limit: 1), connection)
    }

    /// The same for a database of which only the rows count, and not whether the indexes agree with them.
    static func requireRows(_ connection: borrowing Connection) throws {
        try require(answers(connection, 1, "quick_check"), connection)
    }

    private static func require(_ faults: [String], _ connection: borrowing Connection) throws {
        guard let first = faults.first else { return }
        throw LockstepError(
            .damaged, "\(connection.path) fails SQLite's integrity check: \(first)",
            hint: "restore it from a backup", context: .file(connection.path))
    }
}
