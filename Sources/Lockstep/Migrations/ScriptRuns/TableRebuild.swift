/// Replaces the definition of a table and keeps its rows, for changes that ALTER TABLE cannot make. It follows
/// the procedure that SQLite documents ("Making Other Kinds Of Table Schema Changes").
///
/// The order matters. Foreign keys must be off before the transaction begins; otherwise dropping the old table
/// deletes its children. The new table is renamed to the old name, never the other way round; otherwise
/// references of other tables follow the old table. Views survive the rename only with `legacy_alter_table`.
struct TableRebuild {
    let table: String
    /// The expressions that compute columns of the new table; other columns are copied.
    var expressions: [SQLName: String] = [:]
    /// Columns of the old table that the new table omits.
    var dropped: Set<SQLName> = []

    init(table: String) { self.table = table }

    private var temporaryName: String { EngineTables.rebuildPrefix + table }

    /// Runs the rebuild with the CREATE TABLE at `start` of a script and returns the end of that statement.
    func run(
        _ script: [UInt8], from start: Int, _ connection: borrowing Connection, observe: (MigrationEvent) throws -> Void
    ) throws -> Int {
        func begin(_ step: RebuildStep) throws {
            try observe(.rebuilding(table: table, step: step))
        }
        let old = try columns(of: table, connection)
        guard !old.isEmpty else {
            throw LockstepError(
                .migrationFailed, "there is no table \(table) to rebuild",
                hint: "check the name in `-- lockstep: rebuild table …`", context: .init(table: table))
        }
        let dependents = try connection.query(
            """
            SELECT name, sql FROM main.sqlite_schema
            WHERE lower(tbl_name) = lower(?) AND type IN ('index', 'trigger') AND sql IS NOT NULL
            ORDER BY type = 'trigger'
            """, table, as: (SQLName, String).self)
        // The guards of its sealed columns are among them.
        connection.authorizer.lentNames = Set(dependents.map(\.0) + [SQLName(temporaryName)])
        defer { connection.authorizer.lentNames = [] }
        let sequence = try savedSequence(connection)
        connection.core.watch?.willRebuild(SQLName(table), expressions: expressions, without: dropped)
        try begin(.create)
        let end = try createNew(script, from: start, connection)
        try begin(.copy)
        let copied = try copyRows(from: old, connection)
        try begin(.drop)
        try connection.with(rights: .engine) {
            try connection.execute("DROP TABLE main.\(name: table)")
        }
        try begin(.rename)
        try connection.with(rights: .engine) { try takeOldName(connection) }
        // A conflict clause can skip or replace rows.
        if !SQLTokens.hasWord("conflict", in: String(decoding: script[start..<end], as: UTF8.self)) {
            connection.core.watch?.didRebuild(SQLName(table), copying: copied)
        }
        try begin(.restore)
        if let sequence { try restore(sequence, connection) }
        for (_, sql) in dependents {
            do {
                try connection.with(rights: .migration) {
                    try connection.execute(SQL(verbatim: sql))
                }
            } catch let error as LockstepError {
                throw error.located(
                    "an index or trigger of \(table) does not fit its new definition",
                    hint: "drop it before the rebuild and create it again afterwards", context: .init(table: table))
            }
        }
        return end
    }

    // MARK: Steps

    /// Creates the new table under a temporary name by changing the name in the statement.
    private func createNew(
        _ script: [UInt8], from start: Int, _ connection: borrowing Connection
    ) throws -> Int {
        var cursor = SQLCursor(script, from: start, limit: 6)
        let isCreate = cursor.take("create", "table")
        _ = cursor.take("if", "not", "exists")
        guard isCreate, let name = try? cursor.next(), name.name == SQLName(table) else {
            throw LockstepError(
                .migrationMalformed, "expected CREATE TABLE \(table) after the rebuild directive",
                hint: "write the table's new definition under its own name", context: .init(table: table))
        }
        let renamed =
            Array(script[start..<name.range.lowerBound])
            + Array(SQLTokens.quote(temporaryName).utf8) + Array(script[name.range.upperBound...])
        let end = try connection.with(rights: .migration) {
            try connection.runStatement(of: renamed, from: 0)
        }
        // The text after the name is the same in both.
        return script.count - (renamed.count - end)
    }

    /// Uses `legacy_alter_table`, because SQLite refuses the rename while a view refers to the old table.
    private func takeOldName(_ connection: borrowing Connection) throws {
        try connection.execute("PRAGMA legacy_alter_table = ON")
        try running {
            try connection.execute("ALTER TABLE main.\(name: temporaryName) RENAME TO \(name: table)")
        } finally: {
            try connection.execute("PRAGMA legacy_alter_table = OFF")
        }
    }

    /// - Returns: The columns that are copied as they are.
    private func copyRows(
        from old: [Column], _ connection: borrowing Connection
    ) throws -> Set<SQLName> {
        let new = try columns(of: temporaryName, connection)
        let (oldNames, newNames) = (Set(old.map(\.name)), Set(new.map(\.name)))
        for name in expressions.keys where !newNames.contains(name) {
            throw malformed("set names the column \(name.folded), which is not in the new definition")
        }
        try requireNoneSealed(connection)
        for name in dropped where !oldNames.contains(name) || newNames.contains(name) {
            throw malformed("drop column \(name.folded) needs a column that only the old definition contains")
        }
        for column in old where !column.isGenerated {
            guard newNames.contains(column.name) || dropped.contains(column.name) else {
                throw malformed("the column \(column.name.spelling) would be lost without a declaration")
            }
        }
        var targets: [String] = []
        var sources: [String] = []
        var copied: Set<SQLName> = []
        for column in new where !column.isGenerated {
            if let expression = expressions[column.name] {
                sources.append("(\(expression))")
            } else if oldNames.contains(column.name) {
                sources.append(SQLTokens.quote(column.name.spelling))
                copied.insert(column.name)
            } else {
                continue
            }
            targets.append(SQLTokens.quote(column.name.spelling))
        }
        if try keepsHiddenRowIDs(old, new, connection) {
            targets.append("rowid")
            sources.append("rowid")
        }
        try connection.with(rights: .migration) {
            try connection.execute(
                """
                INSERT INTO main.\(name: temporaryName) (\(verbatim: targets.joined(separator: ", ")))
                SELECT \(verbatim: sources.joined(separator: ", ")) FROM main.\(name: table)
                """)
        }
        return copied
    }

    /// Without an INTEGER PRIMARY KEY the rowid is a separate value, which a full-text index can rely on. The
    /// rebuild keeps it unless a column uses its name or either table has no rowid.
    private func keepsHiddenRowIDs(
        _ old: [Column], _ new: [Column], _ connection: borrowing Connection
    ) throws -> Bool {
        guard !(old + new).contains(where: { $0.name == "rowid" }) else { return false }
        for name in [table, temporaryName] {
            // PRAGMA table_list would also answer this, but it examines every view.
            let probe = "SELECT rowid FROM main.\(SQLTokens.quote(name))"
            guard connection.core.refusal(of: probe) == nil else { return false }
        }
        return !new.contains { $0.isRowIDAlias }
    }

    /// SQL sees cells where the views show values: an expression would cut cells short, or put plaintext in their
    /// place.
    private func requireNoneSealed(_ connection: borrowing Connection) throws {
        guard !expressions.isEmpty else { return }
        let sealed = try connection.with(rights: .engine) {
            let claimed = try RegistryTables.claimed(connection)
            // A preview has the guards of the schema, but no registry.
            let guarded = try SealingGuard.all(connection)
            return Set(
                (claimed.map { ($0.table, $0.name) } + guarded.map { ($0.table, $0.column) })
                    .filter { SQLName($0.0) == SQLName(table) }.map { SQLName($0.1) })
        }
        for name in expressions.keys.sorted(by: { $0.folded < $1.folded }) where sealed.contains(name) {
            throw LockstepError(
                .migrationMalformed, "the rebuild of \(table): set names the column \(name.folded), which is sealed",
                hint: """
                    let the rebuild copy the column; change its values through the view of the table, or unprotect the \
                    column before the rebuild
                    """,
                context: .init(table: table, column: name.folded))
        }
    }

    // MARK: AUTOINCREMENT

    private func savedSequence(_ connection: borrowing Connection) throws -> Int64? {
        let hasSequences = try connection.value(
            "SELECT count(*) FROM main.sqlite_schema WHERE name = 'sqlite_sequence'", as: Int64.self)
        guard hasSequences == 1 else { return nil }
        return try connection.value("SELECT seq FROM main.sqlite_sequence WHERE lower(name) = lower(?)", table)
    }

    /// Keeps AUTOINCREMENT from reusing the identifiers of deleted rows.
    private func restore(_ sequence: Int64, _ connection: borrowing Connection) throws {
        let autoincrements = try connection.value(
            "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND lower(name) = lower(?)",
            table,
            as: String.self
        ).map { SQLTokens.normalize($0).split(separator: " ").contains("autoincrement") }
        guard autoincrements == true else { return }
        try connection.with(rights: .engine) {
            try connection.execute(
                "UPDATE main.sqlite_sequence SET seq = max(seq, ?) WHERE lower(name) = lower(?)", sequence, table)
            guard connection.changes == 0 else { return }
            try connection.execute("INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)", table, sequence)
        }
    }

    // MARK: Columns

    private struct Column {
        let name: SQLName
        let isGenerated: Bool
        let isRowIDAlias: Bool
    }

    private func columns(
        of table: String, _ connection: borrowing Connection
    ) throws -> [Column] {
        let rows = try connection.query(
            "SELECT name, hidden, pk, type FROM pragma_table_xinfo(?, 'main') ORDER BY cid", table
        ) { row in
            (name: try row[0] as SQLName, hidden: try row[1] as Int, key: try row[2] as Int, type: try row[3] as String)
        }
        let keyColumns = rows.count { $0.key > 0 }
        // INTEGER PRIMARY KEY DESC is not an alias of the rowid: it has a separate index.
        let keyIndexes = try connection.value(
            "SELECT count(*) FROM pragma_index_list(?, 'main') WHERE origin = 'pk'", table, as: Int.self)
        return rows.map { row in
            Column(
                name: row.name, isGenerated: row.hidden > 1,
                isRowIDAlias: keyIndexes == 0 && keyColumns == 1 && row.key == 1
                    && row.type.asciiLowercased == "integer")
        }
    }

    private func malformed(_ what: String) -> LockstepError {
        LockstepError(
            .migrationMalformed, "the rebuild of \(table): \(what)",
            hint:
                "declare it with `-- lockstep: set C = EXPRESSION` or `-- lockstep: drop column C`",
            context: .init(table: table))
    }
}

/// The steps of a table rebuild, in order.
enum RebuildStep: String, Sendable, CaseIterable {
    /// Create the new table under a temporary name.
    case create
    /// Copy the rows.
    case copy
    /// Drop the old table.
    case drop
    /// Rename the new table to the old table's name.
    case rename
    /// Create its indexes and triggers again.
    case restore
}
