#if Postgres
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
                WHERE schemaname = 'public' AND tablename <> 'lockstep_migration' ORDER BY 1
                """
            ) { try $0[0] }
        }

        /// The recorded versions.
        static func recorded(_ connection: borrowing ServerConnection) throws -> [String] {
            try ServerMigrator.history(connection).entries.map(\.version.description)
        }
    }
#endif
