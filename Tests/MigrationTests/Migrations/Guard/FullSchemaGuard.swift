@testable import EngineTestSupport
@testable import Lockstep

/// The guard's oracle: it measures the whole database before and after a migration, whatever the migration touches.
struct FullSchemaGuard {
    private var tables: [SQLName: String] = [:]
    private let references: FullForeignKeyState
    private let unusable: [FullSchemaUsability.Failure]

    /// Measures the current database.
    init(_ connection: borrowing Connection) throws {
        // A full-text index over another table's rows has no rows of its own.
        let found = try connection.query(
            """
            SELECT s.name, l.type, s.sql FROM main.sqlite_schema AS s
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
                name: try row[0] as String,
                hasOwnRows: try row[1] as String == "table" || !SQLTokens.normalize(try row[2]).contains("content =")
            )
        }
        for table in found where table.hasOwnRows { tables[SQLName(table.name)] = table.name }
        references = try FullForeignKeyState(connection)
        unusable = try FullSchemaUsability.failures(connection)
    }

    /// The tables with rows.
    var names: Set<SQLName> { Set(tables.keys) }

    /// - Throws: ``LockstepError/Code/denied`` for a table with a name that is reserved for the engine.
    func requireOwnNames(since before: FullSchemaGuard) throws(LockstepError) {
        for (key, table) in tables where before.tables[key] == nil && key.hasPrefix(SQLName(EngineTables.prefix)) {
            throw LockstepError(
                .denied,
                "\(table) is refused: names that begin with lockstep_ are reserved for the "
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
}
