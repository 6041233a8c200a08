extension VerificationReport.Check {
    /// Every child has its parent.
    public static let foreignKeys = Self("foreign-keys") { _ in
        .onConnection(.init(run: ForeignKeyCheck.run))
    }
}

/// Every reference to another row finds that row.
enum ForeignKeyCheck {
    /// How many rowids of rows without a parent are reported.
    private static let reportLimit = 10

    static func run(_ connection: borrowing Connection) throws -> CheckResult {
        let tables = try connection.query(
            """
            SELECT t.name, count(DISTINCT f.id)
            FROM pragma_table_list AS t, pragma_foreign_key_list(t.name, 'main') AS f
            WHERE t.schema = 'main' AND t.type = 'table' GROUP BY t.name ORDER BY t.name
            """, as: (String, Int).self)
        var findings: [VerificationReport.Finding] = []
        for (table, _) in tables { findings += try orphans(in: table, connection) }
        return (counted(tables.reduce(0) { $0 + $1.1 }, "foreign key"), findings)
    }

    private struct Orphans {
        let parent: String
        var count = 0
        var rowIDs: [Int64] = []
    }

    private static func orphans(
        in table: String, _ connection: borrowing Connection
    ) throws -> [VerificationReport.Finding] {
        var found: [Int: Orphans] = [:]
        do {
            try connection.prepare("PRAGMA main.foreign_key_check(\(name: table))").forEach { row in
                let key: Int = try row[3]
                var orphans = try found[key] ?? Orphans(parent: row[2])
                orphans.count += 1
                if let rowID: Int64 = try row[1], orphans.rowIDs.count < reportLimit {
                    orphans.rowIDs.append(rowID)
                }
                found[key] = orphans
            }
        } catch let error as LockstepError where error.context.missing?.kind == .collation {
            return [
                .notice(
                    "the references of \(table) are not checked, which only a program can that has the collation: \(error.message)"
                )
            ]
        } catch let error as LockstepError where error.code == .sqlFailed {
            // SQLite cannot check a reference without a valid parent key. The next check reports such
            // references.
            return [.failure("the rows of \(table) cannot be checked: \(error.message)")]
        }
        return found.sorted { $0.key < $1.key }.map { _, orphans in
            let ids = orphans.rowIDs.map(String.init).joined(separator: ", ")
            let more = orphans.count > orphans.rowIDs.count ? ", …" : ""
            var finding = VerificationReport.Finding.failure(
                "\(counted(orphans.count, "row")) of \(table) "
                    + "\(orphans.count == 1 ? "has" : "have") no parent in \(orphans.parent)"
                    + (ids.isEmpty ? "" : ": rowid \(ids)\(more)"))
            finding.rows = VerificationReport.Finding.Rows(
                table: table, parent: orphans.parent, count: orphans.count, rowIDs: orphans.rowIDs)
            return finding
        }
    }
}
