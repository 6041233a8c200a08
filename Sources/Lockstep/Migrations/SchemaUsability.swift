/// Whether SQLite can still use every table, view and trigger.
///
/// `ADD COLUMN … GENERATED ALWAYS AS (no_such_function())` is accepted, and from then on every statement
/// on the table fails; so does a view whose table was renamed. Preparing a statement on each object
/// finds them all.
enum SchemaUsability {
    /// - Throws: ``LockstepError/Code/schemaBroken`` with the object's name and SQLite's message.
    static func check(_ connection: borrowing Connection) throws {
        let objects = try connection.query(
            """
            SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema
            WHERE type IN ('table', 'view', 'trigger') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """
        ) { row in
            (
                type: try row[0] as String, name: try row[1] as String,
                table: try row[2] as String, sql: try row[3] as String
            )
        }
        for object in objects {
            let probe =
                object.type == "trigger"
                ? try statementThatFires(object.sql, on: object.table, connection)
                : "SELECT * FROM \(SQLTokens.quote(object.name))"
            do {
                _ = try connection.with(rights: .engine) {
                    try connection.prepare(probe).isReadOnly
                }
            } catch let error as LockstepError {
                throw LockstepError(
                    .schemaBroken,
                    "the \(object.type) \(object.name) cannot be used: \(error.message)",
                    hint:
                        "mend the definition; SQLite accepts it, but no statement on it would work",
                    sqliteCode: error.sqliteCode)
            }
        }
    }

    /// A statement whose preparation compiles the trigger's body.
    private static func statementThatFires(
        _ sql: String, on table: String, _ connection: borrowing Connection
    ) throws -> String {
        let words = SQLTokens.normalize(sql).split(separator: " ")
        let event = words.first { ["insert", "update", "delete"].contains($0) } ?? "delete"
        let target = SQLTokens.quote(table)
        switch event {
        case "insert": return "INSERT INTO \(target) DEFAULT VALUES"
        case "update":
            let columns = try connection.query(
                "SELECT name FROM pragma_table_xinfo(?) WHERE hidden = 0", table
            ) { row in SQLTokens.quote(try row[0] as String) }
            let assignments = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
            return "UPDATE \(target) SET \(assignments)"
        default: return "DELETE FROM \(target)"
        }
    }
}
