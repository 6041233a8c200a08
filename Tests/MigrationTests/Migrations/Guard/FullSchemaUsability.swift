@testable import EngineTestSupport
@testable import Lockstep

/// Whether SQLite can still use every table, view and trigger.
///
/// SQLite accepts `ADD COLUMN … GENERATED ALWAYS AS (no_such_function())`, and from then on every statement
/// on the table fails. So does a view whose table was renamed. Preparing statements on each object finds
/// all of them.
enum FullSchemaUsability {
    /// An object that no statement can use.
    struct Failure {
        /// Type and name.
        let object: String
        let error: LockstepError
    }

    /// The unusable objects, with SQLite's message.
    static func failures(_ connection: borrowing Connection) throws -> [Failure] {
        let objects = try connection.query(
            """
            WITH l AS MATERIALIZED (SELECT name, type FROM pragma_table_list WHERE schema = 'main')
            SELECT s.type, s.name, s.tbl_name, coalesce(s.sql, ''), coalesce(l.type, '')
            FROM main.sqlite_schema AS s LEFT JOIN l ON l.name = s.name
            WHERE s.type IN ('table', 'view', 'trigger')
              AND s.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              AND s.name NOT IN (\(verbatim: EngineTables.quotedNames))
            """
        ) { row in
            (
                type: try row[0] as String, name: try row[1] as String,
                table: try row[2] as String, sql: try row[3] as String, kind: try row[4] as String
            )
        }
        var failures: [Failure] = []
        for object in objects {
            let target = "main.\(SQLTokens.quote(object.name))"
            do {
                var probes = ["SELECT * FROM \(target)"]
                if object.type == "trigger" {
                    probes = [try statementThatFires(object.sql, on: object.table, connection)]
                } else if object.kind == "table" {
                    // A default can call a function that does not exist.
                    probes.append("INSERT INTO \(target) DEFAULT VALUES")
                }
                for probe in probes {
                    try connection.with(rights: .engine) {
                        _ = try connection.prepare(SQL(verbatim: probe)).isReadOnly
                    }
                }
            } catch let error as LockstepError {
                failures.append(
                    Failure(
                        object: "\(object.type) \(object.name)",
                        error: LockstepError(
                            .schemaBroken, "the \(object.type) \(object.name) cannot be used: \(error.message)",
                            hint: "fix the definition; SQLite accepts it, but no statement on the "
                                + "object would work", sqliteCode: error.sqliteCode)))
            }
        }
        return failures
    }

    /// A statement whose preparation compiles the trigger's body.
    private static func statementThatFires(
        _ sql: String, on table: String, _ connection: borrowing Connection
    ) throws -> String {
        let bytes = Array(sql.utf8)
        let words = SQLTokens(sql).filter { $0.kind == .word }.map {
            String(decoding: bytes[$0.range], as: UTF8.self).asciiLowercased
        }
        let event = words.first { ["insert", "update", "delete"].contains($0) } ?? "delete"
        let target = "main.\(SQLTokens.quote(table))"
        switch event {
        case "insert": return "INSERT INTO \(target) DEFAULT VALUES"
        case "update":
            let columns = try connection.query("SELECT name FROM pragma_table_xinfo(?, 'main') WHERE hidden = 0", table)
            { row in SQLTokens.quote(try row[0] as String) }
            let assignments = columns.map { "\($0) = \($0)" }.joined(separator: ", ")
            return "UPDATE \(target) SET \(assignments)"
        default: return "DELETE FROM \(target)"
        }
    }
}
