/// Every row that refers to another finds it.
enum ForeignKeyCheck {
    static func run(
        _ connection: borrowing Connection
    ) throws -> (summary: String, findings: [VerificationReport.Finding]) {
        let orphans = try connection.query("PRAGMA foreign_key_check") { row in
            "\(try row[0] as String) → \(try row[2] as String)"
        }
        let findings = Dictionary(grouping: orphans) { $0 }.sorted { $0.key < $1.key }.map {
            VerificationReport.Finding.failure("\($0.value.count) rows of \($0.key) have no parent")
        }
        let count: Int64? = try connection.value(
            """
            SELECT count(DISTINCT t.name || '/' || f.id)
            FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f
            WHERE t.schema = 'main'
            """)
        return ("\(count ?? 0) foreign keys", findings)
    }
}
