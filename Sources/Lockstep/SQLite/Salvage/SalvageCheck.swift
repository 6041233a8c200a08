/// Checks and repairs of the new database once all rows are in it, on a connection that did not insert them.
extension SalvageTarget {
    /// Rebuilds a full-text index from the recovered content.
    func rebuildFullText(_ table: String) throws {
        let name = SQLTokens.quote(table)
        try run("INSERT INTO main.\(name) (\(name)) VALUES ('rebuild')")
    }

    /// Rows that refer to missing rows.
    func orphans() throws -> [SalvageReport.Orphans] {
        struct Reference: Hashable {
            @Exact private(set) var table: String
            @Exact private(set) var parent: String
        }
        var counts: [Reference: Int] = [:]
        try statement("PRAGMA main.foreign_key_check").forEach { row in
            counts[Reference(table: try row[0], parent: try row[2]), default: 0] += 1
        }
        return counts.map {
            SalvageReport.Orphans(table: $0.key.table, parent: $0.key.parent, rows: $0.value)
        }.sorted { ($0.table, $0.parent) < ($1.table, $1.parent) }
    }

    /// The faults that SQLite's integrity check reports in the content, such as rows that break constraints.
    /// - Throws: ``LockstepError/Code/damaged`` if the new file itself is broken.
    func contentProblems() throws -> [String] {
        let answers = try statement("PRAGMA main.integrity_check").map { row in
            try row[0] as String
        }
        let problems = Set(answers.filter { $0 != "ok" }.map { ExactText($0) }).sorted().map(\.text)
        let structural = ["*** in database", "Tree ", "Page ", "Freelist"]
        if let broken = problems.first(where: { structural.contains(where: $0.begins) }) {
            throw LockstepError(
                .damaged, "the new database is broken: \(broken)", hint: "check the disk, and run the salvage again")
        }
        return problems
    }

    /// Checkpoints everything into the main file and onto the disk.
    func checkpoint() throws {
        let isBusy = try statement("PRAGMA main.wal_checkpoint(TRUNCATE)").first { row in
            try row[0] as Bool
        }
        guard isBusy == false else {
            throw LockstepError(
                .busy, "another connection is reading the new database \(connection.path)",
                hint: "run the salvage again, and do not open the new file before it has ended",
                context: .file(connection.path))
        }
    }
}
