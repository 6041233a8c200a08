import Lockstep

@testable import LockstepPostgres

/// Migration sets written in the test.
enum ServerScratch {
    /// A set named `test`; the first script is version 1.
    static func set(_ scripts: [String]) throws -> MigrationSet {
        try MigrationSet(
            name: "test",
            files: scripts.enumerated().map { index, script in
                (name: "000\(index + 1)_step.sql", content: script)
            }, engine: .postgres)
    }

    static func set(_ scripts: String...) throws -> MigrationSet { try set(Array(scripts)) }

    static func up(_ sql: String, down: String? = nil) -> String {
        "-- lockstep: up\n\(sql)\n" + (down.map { "-- lockstep: down\n\($0)\n" } ?? "")
    }

    /// The names of the tables besides the ledger.
    static func tables(_ connection: borrowing ServerConnection) throws -> [String] {
        try connection.query(
            """
            SELECT tablename::text FROM pg_catalog.pg_tables
            WHERE schemaname = 'public' AND tablename NOT LIKE 'lockstep\\_%' ORDER BY 1
            """
        ) { try $0[0] }
    }

    /// The indexes that a server does not use, and that cost every write.
    static func invalid(_ connection: borrowing ServerConnection) throws -> [String] {
        try connection.query(
            """
            SELECT relname::text FROM pg_index JOIN pg_class ON oid = indexrelid
            WHERE NOT indisvalid OR relname ~ '_cc(new|old)' ORDER BY 1
            """
        ) { try $0[0] }
    }

    /// How many versions are begun and not finished.
    static func unfinished(_ connection: borrowing ServerConnection) throws -> Int {
        try ServerMigrator.history(connection).unfinished.count
    }

    /// The recorded versions.
    static func recorded(_ connection: borrowing ServerConnection) throws -> [String] {
        try ServerMigrator.history(connection).entries.map(\.version.description)
    }
}
