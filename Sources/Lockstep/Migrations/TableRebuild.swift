/// A table's definition replaced while its rows stay: what ALTER TABLE cannot do, by the procedure that
/// SQLite documents ("Making Other Kinds Of Table Schema Changes").
///
/// The order matters. Foreign keys are off before the transaction begins, or dropping the old table
/// deletes its children. The new table is renamed to the old name and never the other way round, or
/// other tables' references follow the old table. Views survive the rename only with
/// `legacy_alter_table`.
struct TableRebuild {
    let table: String
    /// What columns of the new table are computed from, by lower-case name; others are copied.
    var expressions: [String: String] = [:]
    /// Columns of the old table, in lower case, that the new one does without.
    var dropped: Set<String> = []

    init(table: String) { self.table = table }

    private var temporaryName: String { "lockstep_rebuild_\(table)" }

    /// Runs the rebuild with the CREATE TABLE that `sql` begins with, and gives what follows it.
    func run(
        _ sql: String, _ connection: borrowing Connection,
        observe: (MigrationEvent) throws -> Void
    ) throws -> Substring {
        func begin(_ step: RebuildStep) throws {
            try observe(.rebuilding(table: table, step: step))
        }
        let old = try columns(of: table, connection)
        guard !old.isEmpty else {
            throw LockstepError(
                .migrationFailed, "there is no table \(table) to rebuild",
                hint: "check the name in `-- lockstep: rebuild table …`")
        }
        let dependents = try connection.query(
            """
            SELECT sql FROM sqlite_schema
            WHERE lower(tbl_name) = lower(?) AND type IN ('index', 'trigger') AND sql IS NOT NULL
            ORDER BY type = 'trigger'
            """, table
        ) { row in try row[0] as String }
        let sequence = try savedSequence(connection)
        try begin(.create)
        let rest = try createNew(sql, connection)
        try begin(.copy)
        try copyRows(from: old, connection)
        try begin(.drop)
        try connection.with(rights: .engine) {
            try connection.execute("DROP TABLE \(SQLTokens.quote(table))")
        }
        try begin(.rename)
        try connection.with(rights: .engine) { try takeOldName(connection) }
        try begin(.restore)
        if let sequence { try restore(sequence, connection) }
        for sql in dependents {
            do {
                try connection.with(rights: .migration) { try connection.execute(sql) }
            } catch let error as LockstepError {
                throw error.located(
                    "an index or trigger of \(table) does not fit its new definition",
                    hint: "drop it before the rebuild and create it anew behind it")
            }
        }
        return rest
    }

    // MARK: Steps

    /// Creates the new table under a temporary name by changing the name in the statement.
    private func createNew(_ sql: String, _ connection: borrowing Connection) throws -> Substring {
        let bytes = Array(sql.utf8)
        let tokens = SQLTokens(sql).filter { $0.kind != .space && $0.kind != .comment }
        func text(_ index: Int) -> String {
            index < tokens.count ? String(decoding: bytes[tokens[index].range], as: UTF8.self) : ""
        }
        let hasGuard = text(2).lowercased() == "if"
        let position = hasGuard ? 5 : 2
        let isCreate = text(0).lowercased() == "create" && text(1).lowercased() == "table"
        guard isCreate, SQLTokens.unquote(text(position)).lowercased() == table.lowercased() else {
            throw LockstepError(
                .migrationMalformed, "CREATE TABLE \(table) is due behind the rebuild directive",
                hint: "write the table's new definition under its own name")
        }
        let name = tokens[position].range
        let renamed =
            String(decoding: bytes[..<name.lowerBound], as: UTF8.self)
            + SQLTokens.quote(temporaryName)
            + String(decoding: bytes[name.upperBound...], as: UTF8.self)
        let rest = try connection.with(rights: .migration) { try connection.runFirst(of: renamed) }
        // The rest belongs to a copy; what it is of the original is the same number of bytes.
        return sql[sql.utf8.index(sql.endIndex, offsetBy: -rest.utf8.count)...]
    }

    /// With `legacy_alter_table`, or SQLite would refuse while a view still speaks of the old table.
    private func takeOldName(_ connection: borrowing Connection) throws {
        try connection.execute("PRAGMA legacy_alter_table = ON")
        do {
            try connection.execute(
                "ALTER TABLE \(SQLTokens.quote(temporaryName)) RENAME TO \(SQLTokens.quote(table))")
        } catch {
            try connection.execute("PRAGMA legacy_alter_table = OFF")
            throw error
        }
        try connection.execute("PRAGMA legacy_alter_table = OFF")
    }

    private func copyRows(
        from old: [Column], _ connection: borrowing Connection
    ) throws {
        let new = try columns(of: temporaryName, connection)
        let oldNames = Set(old.map { $0.name.lowercased() })
        let newNames = Set(new.map { $0.name.lowercased() })
        for name in expressions.keys where !newNames.contains(name) {
            throw malformed("set names the column \(name), which the new definition lacks")
        }
        for name in dropped where !oldNames.contains(name) || newNames.contains(name) {
            throw malformed("drop column \(name) fits neither the old nor the new definition")
        }
        for column in old where !column.isGenerated {
            let name = column.name.lowercased()
            guard newNames.contains(name) || dropped.contains(name) else {
                throw malformed("the column \(column.name) would be lost without being declared")
            }
        }
        var targets: [String] = []
        var sources: [String] = []
        for column in new where !column.isGenerated {
            let name = column.name.lowercased()
            if let expression = expressions[name] {
                sources.append("(\(expression))")
            } else if oldNames.contains(name) {
                sources.append(SQLTokens.quote(column.name))
            } else {
                continue
            }
            targets.append(SQLTokens.quote(column.name))
        }
        if try keepsHiddenRowIDs(old, new, connection) {
            targets.append("rowid")
            sources.append("rowid")
        }
        let from = SQLTokens.quote(table)
        let into = SQLTokens.quote(temporaryName)
        try connection.with(rights: .migration) {
            try connection.execute(
                "INSERT INTO \(into) (\(targets.joined(separator: ", "))) "
                    + "SELECT \(sources.joined(separator: ", ")) FROM \(from)")
        }
    }

    /// Without an INTEGER PRIMARY KEY the rowid is a value of its own, on which a full-text index may
    /// rely; it is kept unless a column takes its name or either table has none.
    private func keepsHiddenRowIDs(
        _ old: [Column], _ new: [Column], _ connection: borrowing Connection
    ) throws -> Bool {
        let taken = (old + new).contains { $0.name.lowercased() == "rowid" }
        guard !taken else { return false }
        for name in [table, temporaryName] {
            let hasRowID = try connection.value(
                "SELECT wr = 0 FROM pragma_table_list WHERE schema = 'main' AND lower(name) = lower(?)",
                name, as: Bool.self)
            guard hasRowID == true else { return false }
        }
        return !new.contains { $0.isRowIDAlias }
    }

    // MARK: AUTOINCREMENT

    private func savedSequence(_ connection: borrowing Connection) throws -> Int64? {
        let hasSequences = try connection.value(
            "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'", as: Int64.self)
        guard hasSequences == 1 else { return nil }
        return try connection.value(
            "SELECT seq FROM sqlite_sequence WHERE lower(name) = lower(?)", table)
    }

    /// Else identifiers of deleted rows would be given out again.
    private func restore(_ sequence: Int64, _ connection: borrowing Connection) throws {
        let autoincrements = try connection.value(
            "SELECT sql FROM sqlite_schema WHERE type = 'table' AND lower(name) = lower(?)", table,
            as: String.self
        ).map { SQLTokens.normalize($0).split(separator: " ").contains("autoincrement") }
        guard autoincrements == true else { return }
        try connection.with(rights: .engine) {
            try connection.execute(
                "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE lower(name) = lower(?)",
                sequence, table)
            guard connection.changes == 0 else { return }
            try connection.execute(
                "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", table, sequence)
        }
    }

    // MARK: Columns

    private struct Column {
        let name: String
        let isGenerated: Bool
        let isRowIDAlias: Bool
    }

    private func columns(
        of table: String, _ connection: borrowing Connection
    ) throws -> [Column] {
        let rows = try connection.query(
            "SELECT name, hidden, pk, type FROM pragma_table_xinfo(?) ORDER BY cid", table
        ) { row in
            (
                name: try row[0] as String, hidden: try row[1] as Int, key: try row[2] as Int,
                type: try row[3] as String
            )
        }
        let keyColumns = rows.count { $0.key > 0 }
        return rows.map { row in
            Column(
                name: row.name, isGenerated: row.hidden > 1,
                isRowIDAlias: keyColumns == 1 && row.key == 1
                    && row.type.lowercased() == "integer")
        }
    }

    private func malformed(_ what: String) -> LockstepError {
        LockstepError(
            .migrationMalformed, "the rebuild of \(table): \(what)",
            hint:
                "declare it with `-- lockstep: set C = EXPRESSION` or `-- lockstep: drop column C`")
    }
}
