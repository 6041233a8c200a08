import TestSupport

@testable import Lockstep

/// Migration sets written in place, and databases in memory to run them on.
enum Scratch {
    /// A set named `test` from scripts; the first is version 1.
    static func set(_ scripts: String...) throws -> MigrationSet {
        try set(Array(scripts))
    }

    static func set(_ scripts: [String]) throws -> MigrationSet {
        try MigrationSet(
            name: "test",
            files: scripts.enumerated().map { index, script in
                (name: "000\(index + 1)_step.sql", content: script)
            })
    }

    /// A migration's text with this way up.
    static func up(_ sql: String, down: String? = nil) -> String {
        "-- lockstep: up\n\(sql)\n" + (down.map { "-- lockstep: down\n\($0)\n" } ?? "")
    }

    /// Runs a way up on `connection`, after running `setup` as plain SQL.
    @discardableResult
    static func migrate(
        _ connection: borrowing Connection, _ scripts: String...
    ) throws -> MigrationReport {
        try Migrator(set(Array(scripts).map { up($0) })).run(on: connection)
    }

    /// The schema as text, one object per line.
    static func schema(_ connection: borrowing Connection) throws -> [String] {
        try connection.query(
            """
            SELECT sql FROM sqlite_schema
            WHERE sql IS NOT NULL AND tbl_name <> 'lockstep_migration' ORDER BY name
            """
        ) { row in try row[0] as String }
    }

    static func int(_ connection: borrowing Connection, _ sql: String) throws -> Int? {
        try connection.value(SQL(verbatim: sql))
    }
}
