/// What a migration must not break, measured before it runs and again before it commits.
///
/// SQLite accepts each of these silently: rows deleted by a cascade, children without parents, a foreign
/// key whose parent is gone, a table that no statement can use any more.
struct SchemaGuard: Equatable {
    private var tables: [String: Table] = [:]
    private var violations: [String: Int] = [:]
    private var brokenReferences: Set<String> = []

    private struct Table: Equatable {
        let name: String
        let rootPage: Int64
        /// Nil for a table that no statement can read: its definition was broken before.
        let rows: Int64?
    }

    /// Measures the database as it is now.
    init(_ connection: borrowing Connection) throws {
        let found = try connection.query(
            """
            SELECT s.name, s.rootpage FROM sqlite_schema AS s
            JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = s.name
            WHERE s.type = 'table' AND l.type = 'table'
              AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND s.name <> 'lockstep_migration'
            """
        ) { row in (try row[0] as String, try row[1] as Int64) }
        for (name, rootPage) in found {
            tables[name.lowercased()] = Table(
                name: name, rootPage: rootPage, rows: try Self.rowCount(name, connection))
        }
        brokenReferences = try Self.brokenReferences(connection)
        // The check itself fails on a reference that cannot be resolved.
        guard brokenReferences.isEmpty else { return }
        let rows = try connection.query("PRAGMA foreign_key_check") { row in
            "\(try row[0] as String) → \(try row[2] as String)"
        }
        violations = Dictionary(grouping: rows) { $0 }.mapValues(\.count)
    }

    /// Compares with what was measured before.
    /// - Parameter allowed: Tables, in lower case, that may lose rows.
    /// - Throws: ``LockstepError/Code/rowsLost``, ``LockstepError/Code/foreignKeysBroken``.
    func requireNothingLost(since before: SchemaGuard, allowed: Set<String>) throws(LockstepError) {
        for (key, old) in before.tables.sorted(by: { $0.key < $1.key })
        where !allowed.contains(key) {
            guard let rows = old.rows, rows > 0 else { continue }
            // A renamed table keeps its root page.
            let new =
                tables[key]
                ?? tables.values.first {
                    $0.rootPage == old.rootPage && before.tables[$0.name.lowercased()] == nil
                }
            guard let new else { throw Self.lost("\(old.name) and its \(rows) rows are gone", old) }
            guard let left = new.rows, left < rows else { continue }
            throw Self.lost("\(new.name) went from \(rows) rows to \(left)", old)
        }
        if let reference = brokenReferences.subtracting(before.brokenReferences).min() {
            throw LockstepError(
                .foreignKeysBroken, "a foreign key has nothing to refer to: \(reference)",
                hint: "the parent must exist and its columns must be its primary key or unique")
        }
        for (reference, count) in violations.sorted(by: { $0.key < $1.key })
        where count > before.violations[reference, default: 0] {
            throw LockstepError(
                .foreignKeysBroken, "\(count) rows of \(reference) have no parent",
                hint: "insert the parents first, or delete the children and declare it")
        }
    }

    private static func rowCount(
        _ table: String, _ connection: borrowing Connection
    ) throws -> Int64? {
        do {
            return try connection.value("SELECT count(*) FROM \(SQLTokens.quote(table))")
        } catch let error as LockstepError where error.code == .sqlFailed {
            // A migration may be what mends it; if none does, the check of usability tells.
            return nil
        }
    }

    private static func lost(_ what: String, _ table: Table) -> LockstepError {
        LockstepError(
            .rowsLost, "rows would be lost: \(what)",
            hint:
                "if that is meant, declare it: `-- lockstep: allow loss of table \(table.name)`; if "
                + "a table is being replaced, use `-- lockstep: rebuild table …`")
    }

    // MARK: References

    private static func brokenReferences(_ connection: borrowing Connection) throws -> Set<String> {
        let keys = try connection.query(
            """
            SELECT t.name, f.id, f."table", f."to"
            FROM pragma_table_list AS t, pragma_foreign_key_list(t.name) AS f
            WHERE t.schema = 'main' AND t.type = 'table' ORDER BY t.name, f.id, f.seq
            """
        ) { row in
            (
                child: try row[0] as String, id: try row[1] as Int, parent: try row[2] as String,
                column: try row[3] as String?
            )
        }
        var broken: Set<String> = []
        for (_, parts) in Dictionary(grouping: keys, by: { "\($0.child)/\($0.id)" }) {
            guard let first = parts.first else { continue }
            let columns = parts.compactMap { $0.column?.lowercased() }
            let candidates = try candidateKeys(of: first.parent, connection)
            let fits =
                columns.isEmpty
                ? candidates.contains { $0.isPrimary && $0.columns.count == parts.count }
                : candidates.contains { $0.columns == Set(columns) }
            if !fits { broken.insert("\(first.child) → \(first.parent)") }
        }
        return broken
    }

    /// The sets of columns of `table` by which a row can be referred to.
    private static func candidateKeys(
        of table: String, _ connection: borrowing Connection
    ) throws -> [(columns: Set<String>, isPrimary: Bool)] {
        let primary = try connection.query(
            "SELECT lower(name) FROM pragma_table_info(?) WHERE pk > 0", table
        ) { row in try row[0] as String }
        var keys: [(columns: Set<String>, isPrimary: Bool)] = []
        if !primary.isEmpty { keys.append((Set(primary), true)) }
        let indexes = try connection.query(
            "SELECT name FROM pragma_index_list(?) WHERE \"unique\" = 1 AND partial = 0", table
        ) { row in try row[0] as String }
        for index in indexes {
            let columns = try connection.query(
                "SELECT lower(name) FROM pragma_index_info(?)", index
            ) { row in try row[0] as String? }
            if !columns.contains(nil) { keys.append((Set(columns.compactMap(\.self)), false)) }
        }
        return keys
    }
}
