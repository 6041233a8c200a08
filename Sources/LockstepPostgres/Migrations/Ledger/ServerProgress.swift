internal import Lockstep

// Versions in progress: the table lockstep_unfinished
// ===================================================
//
// The table contains only versions without a transaction of their own, between their first statement and their last.
//
//   set, version     identify the migration; together unique
//   name, checksum_bytes, checksum_text, checksum_tokens, down     as in the ledger, of the file that was started
//   is_up            true if it is being applied, false if it is being undone
//   statements       how many of its statements have run
//   has_begun        whether the next one, which runs outside a transaction, was begun
//   started_at       microseconds since 1970-01-01T00:00:00Z

/// How far a version without a transaction of its own has come on a server.
struct ServerProgress {
    var unfinished: UnfinishedMigration
    /// Whether the statement after those that have run was begun.
    var hasBegun: Bool
}

/// Reads and writes the progress of versions on a server.
struct ServerProgressTable {
    static let table = "lockstep_unfinished"

    private let place: ServerEngineTable

    init(schema: String) { place = ServerEngineTable(schema: schema, table: Self.table) }

    /// - Parameter kinds: What the schema has, if that is known.
    /// - Throws: `LockstepError.Code.tampered` for a row that Lockstep did not write.
    func all(
        // exact: names of the source
        _ connection: borrowing ServerConnection, _ kinds: [String: EngineTable.Kind]? = nil
    ) throws -> [ServerProgress] {
        let found = try place.rows(
            """
            "set", version, name, checksum_bytes, checksum_text, checksum_tokens, down, is_up, statements, has_begun,
            started_at
            """, order: "started_at", connection, kinds
        ) { row in
            let statements: Int64 = try row[8]
            guard statements >= 0, statements < Int32.max else {
                throw place.impossible("number of statements")
            }
            return ServerProgress(
                unfinished: UnfinishedMigration(
                    set: try row[0], version: try place.version(row[1]), name: try row[2], isUp: try row[7],
                    startedAt: try row[10], checksums: try place.checksums(row, from: 3), down: try row[6],
                    statements: Int(statements)), hasBegun: try row[9])
        }
        let keys = Set(found.map { "\($0.unfinished.set) \($0.unfinished.version)" })
        guard keys.count == found.count else {
            throw place.impossible("second row of a version")
        }
        return found
    }

    /// Notes how far a version has come, in the open transaction.
    /// - Parameter last: What was noted before; nil for the version's first note.
    /// - Throws: `LockstepError.Code.busy` if somebody else has noted something since.
    func note(
        _ progress: ServerProgress, after last: ServerProgress?,
        _ connection: borrowing ServerConnection
    ) throws {
        let one = progress.unfinished
        guard let last else {
            try prepare(connection)
            try connection.execute(
                """
                INSERT INTO \(verbatim: place.name) ("set", version, name, checksum_bytes, checksum_text,
                    checksum_tokens, down, is_up, statements, has_begun, started_at)
                VALUES (\(one.set), \(one.version.description), \(one.name), \(one.checksums.bytes),
                    \(one.checksums.text), \(one.checksums.tokens), \(one.down), \(one.isUp),
                    \(Int64(one.statements)), \(progress.hasBegun), \(one.startedAt))
                """)
            return
        }
        let count = try connection.execute(
            """
            UPDATE \(verbatim: place.name) SET statements = \(Int64(one.statements)), has_begun = \(progress.hasBegun)
            WHERE "set" OPERATOR(pg_catalog.=) \(one.set)::text
                AND version OPERATOR(pg_catalog.=) \(one.version.description)::text
                AND statements OPERATOR(pg_catalog.=) \(Int64(last.unfinished.statements))::int8
                AND has_begun OPERATOR(pg_catalog.=) \(last.hasBegun)::bool
            """)
        try requireOwn(count, one)
    }

    /// Removes the row of a version, in the open transaction.
    func erase(
        _ one: UnfinishedMigration, _ connection: borrowing ServerConnection
    ) throws {
        let count = try connection.execute(
            """
            DELETE FROM \(verbatim: place.name)
            WHERE "set" OPERATOR(pg_catalog.=) \(one.set)::text
                AND version OPERATOR(pg_catalog.=) \(one.version.description)::text
                AND statements OPERATOR(pg_catalog.=) \(Int64(one.statements))::int8
            """)
        try requireOwn(count, one)
    }

    private func requireOwn(_ count: Int, _ one: UnfinishedMigration) throws {
        guard count == 1 else {
            throw LockstepError(
                .busy, "another runner has gone on with \(one.set) \(one.version) meanwhile",
                hint: "run it again: it continues where that stopped")
        }
    }

    private func prepare(_ connection: borrowing ServerConnection) throws {
        guard try !place.exists(connection) else { return }
        try connection.execute(
            """
            CREATE TABLE \(verbatim: place.name) (
                "set" text COLLATE "C" NOT NULL,
                version text COLLATE "C" NOT NULL,
                name text NOT NULL,
                checksum_bytes bytea NOT NULL,
                checksum_text bytea NOT NULL,
                checksum_tokens bytea NOT NULL,
                down text,
                is_up boolean NOT NULL,
                statements bigint NOT NULL,
                has_begun boolean NOT NULL,
                started_at bigint NOT NULL,
                PRIMARY KEY ("set", version)
            )
            """)
    }
}
