/// Runs a script that edits the definitions in `sqlite_schema` itself, as files of programs do that cannot change a
/// constraint otherwise: `PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = …`.
///
/// SQLite believes whatever is written there. So only the text of definitions can be changed, only of the program's own
/// objects, and afterwards the tables still have the same columns in the same order, and SQLite's integrity check
/// passes, which reads the database once.
struct SchemaEdit {
    private let reserved: [String]
    private let columns: [SQLName: [String]]

    /// - Throws: ``LockstepError/Code/schemaBroken`` if the edited definitions do not fit what is stored, and the
    ///   errors of `body`.
    static func run<Result>(
        _ connection: borrowing Connection, _ body: () throws -> Result
    ) throws -> Result {
        let before = try connection.with(rights: .engine) { try SchemaEdit(connection) }
        try connection.setDefensive(false)
        connection.authorizer.allowsSchemaEdits = true
        let result = try running {
            let result = try body()
            try connection.with(rights: .engine) {
                // Makes the other connections read the definitions again.
                let version: Int = try connection.value("PRAGMA main.schema_version") ?? 0
                try connection.execute(
                    SQL(verbatim: "PRAGMA main.schema_version = \(version + 1)"))
            }
            return result
        } finally: {
            connection.authorizer.allowsSchemaEdits = false
            try connection.with(rights: .engine) {
                // Makes this connection read them again.
                try connection.execute("PRAGMA writable_schema = RESET")
            }
            try connection.setDefensive(true)
        }
        try connection.with(rights: .engine) { try before.requireSound(connection) }
        return result
    }

    /// Requires that a statement that writes the schema's table changes definitions and nothing else.
    static func requireTextOnly(_ statement: [SQLCursor.Token]) throws(LockstepError) {
        let tables: Set<SQLName> = ["sqlite_master", "sqlite_schema"]
        var cursor = SQLCursor(statement)
        let verb = cursor.peek()
        guard ["insert", "replace", "delete", "update", "with"].contains(verb) else { return }
        let target = statement.firstIndex { tables.contains($0.name) }
        guard let target, verb != "with" else { return }
        if verb == "update" {
            _ = cursor.take("update")
            let table = try? cursor.objectName()
            guard let table, tables.contains(table) else { return }
            if cursor.take("set"), (try? cursor.name()) == "sql", cursor.take("="),
                let value = try? cursor.upTo("where"), SQLCursor.parts(value).count == 1
            {
                return
            }
        } else {
            // Reading it fills another table.
            let written = statement[..<target].map(\.word).filter { $0 != "main" && $0 != "." }
            guard ["into", "from"].contains(written.last), written.count <= 4,
                !written.contains("select")
            else { return }
        }
        throw LockstepError(
            .denied, "only the text of definitions can be edited",
            hint:
                "write UPDATE sqlite_schema SET sql = … WHERE …; make and drop objects with CREATE and DROP"
        )
    }

    private init(_ connection: borrowing Connection) throws {
        reserved = try connection.query(
            """
            SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(rootpage, 0) || ' ' || coalesce(sql, '')
            FROM main.sqlite_schema WHERE name LIKE 'lockstep\\_%' ESCAPE '\\'
                OR tbl_name LIKE 'lockstep\\_%' ESCAPE '\\' ORDER BY 1
            """
        ) { row in try row[0] as String }
        var columns: [SQLName: [String]] = [:]
        _ = try connection.query(
            """
            SELECT s.name, c.name FROM main.sqlite_schema AS s, pragma_table_xinfo(s.name, 'main') AS c
            WHERE s.type = 'table' ORDER BY s.name, c.cid
            """
        ) { row in columns[try row[0], default: []].append(try row[1]) }
        self.columns = columns
    }

    private func requireSound(_ connection: borrowing Connection) throws {
        func broken(_ what: String, _ table: SQLName? = nil) -> LockstepError {
            LockstepError(
                .schemaBroken, "an edit of the schema is refused: \(what)",
                hint: "change types and constraints alone, or use `-- lockstep: rebuild table T`",
                context: .init(table: table?.spelling))
        }
        let after: SchemaEdit
        do {
            after = try SchemaEdit(connection)
        } catch let error as LockstepError where error.code == .sqlFailed || error.code == .damaged {
            throw broken("SQLite cannot read it: \(error.message)")
        }
        guard after.reserved == reserved else {
            throw broken("it changes what belongs to the engine")
        }
        for (table, names) in columns.sorted(by: { $0.key < $1.key }) where after.columns[table] != names {
            throw broken("the rows of \(table.spelling) have other columns", table)
        }
        if let fault = try IntegrityPragma.faults(connection, limit: 1).first {
            throw broken("the rows do not fit it: \(fault)")
        }
    }
}
