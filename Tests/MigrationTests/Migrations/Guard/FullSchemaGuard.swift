@testable import EngineTestSupport
@testable import Lockstep

/// The guard's oracle: it measures the whole database before and after a migration, whatever the migration touches.
struct FullSchemaGuard {
    private var tables: [SQLName: Table] = [:]
    private let references: FullForeignKeyState
    private let unusable: [FullSchemaUsability.Failure]

    private struct Table {
        let name: String
        let rootPage: Int64
        /// Nil for a table that no statement can read because its definition is broken.
        let rows: Int64?
    }

    /// Measures the current database.
    init(_ connection: borrowing Connection) throws {
        // A full-text index over another table's rows has no rows of its own.
        let found = try connection.query(
            """
            SELECT s.name, s.rootpage, l.type, s.sql FROM main.sqlite_schema AS s
            JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = s.name
            WHERE s.type = 'table' AND l.type IN ('table', 'virtual')
              AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND s.name NOT IN (\(verbatim: EngineTables.quotedNames))
              AND NOT EXISTS (
                SELECT 1 FROM main.sqlite_schema AS v WHERE v.sql LIKE 'CREATE VIRTUAL TABLE %'
                  AND lower(s.name) IN (lower(v.name) || '_data', lower(v.name) || '_idx',
                    lower(v.name) || '_content', lower(v.name) || '_docsize', lower(v.name) || '_config'))
            """
        ) { row in
            (
                name: try row[0] as String, rootPage: try row[1] as Int64,
                hasOwnRows: try row[2] as String == "table" || !SQLTokens.normalize(try row[3]).contains("content =")
            )
        }
        for table in found where table.hasOwnRows {
            tables[SQLName(table.name)] = Table(
                name: table.name, rootPage: table.rootPage, rows: try Self.rowCount(table.name, connection))
        }
        references = try FullForeignKeyState(connection)
        unusable = try FullSchemaUsability.failures(connection)
    }

    /// Compares the rows of every table with the earlier measurement.
    /// - Parameter allowed: Tables that may lose rows.
    /// - Throws: ``LockstepError/Code/rowsLost``, or ``LockstepError/Code/denied`` for a table with a
    ///   name that is reserved for the engine.
    func requireNothingLost(
        since before: FullSchemaGuard, allowed: Set<SQLName>, _ changes: TableChanges
    ) throws(LockstepError) {
        for (key, old) in before.tables.sorted(by: { $0.key < $1.key })
        where !allowed.contains(key) {
            guard let rows = old.rows, rows > 0 else { continue }
            guard let new = tables[key] ?? renamed(old, before, changes) else {
                throw Self.lost("\(old.name) and its \(rows) rows are gone", old)
            }
            guard let left = new.rows, left < rows else { continue }
            throw Self.lost("\(new.name) went from \(rows) rows to \(left)", old)
        }
        for (key, table) in tables where before.tables[key] == nil && key.hasPrefix(SQLName(EngineTables.prefix)) {
            throw LockstepError(
                .denied,
                "\(table.name) is refused: names that begin with lockstep_ are reserved for the "
                    + "engine",
                hint: "choose another name")
        }
    }

    /// Compares the foreign keys and the usability of every object with the earlier measurement.
    /// - Parameter allowed: Tables whose references may be broken.
    /// - Throws: ``LockstepError/Code/foreignKeysBroken``, ``LockstepError/Code/schemaBroken``.
    func requireNothingBroken(
        since before: FullSchemaGuard, allowed: Set<SQLName>
    ) throws(LockstepError) {
        try references.requireNothingBroken(since: before.references, allowed: allowed)
        let known = Set(before.unusable.map(\.object))
        if let failure = unusable.first(where: { !known.contains($0.object) }) {
            throw failure.error
        }
    }

    /// Whether one of these tables refers to a parent that does not exist.
    func hasBrokenReferences(of tables: Set<SQLName>) -> Bool {
        references.broken.contains { FullForeignKeyState.isReference($0, of: tables) }
    }

    /// A renamed table keeps its root page. By chance, a new table that was created after the old one was
    /// dropped can get it, too.
    private func renamed(_ old: Table, _ before: FullSchemaGuard, _ changes: TableChanges) -> Table? {
        guard !changes.dropped.contains(SQLName(old.name)) else { return nil }
        return tables.first { key, table in
            table.rootPage == old.rootPage && old.rootPage > 0 && before.tables[key] == nil
                && !changes.created.contains(key)
        }?.value
    }

    private static func rowCount(
        _ table: String, _ connection: borrowing Connection
    ) throws -> Int64? {
        do {
            return try connection.value("SELECT count(*) FROM main.\(name: table)")
        } catch let error as LockstepError where error.code == .sqlFailed {
            return nil
        }
    }

    private static func lost(_ what: String, _ table: Table) -> LockstepError {
        LockstepError(
            .rowsLost, "rows would be lost: \(what)",
            hint:
                "if that is intended, declare it: "
                + "`-- lockstep: allow loss of table \(table.name)`; "
                + "if a table is being replaced, use `-- lockstep: rebuild table …`")
    }
}
