internal import Lockstep

/// The record of repeatable migrations on a server: the table `lockstep_repeatable`, with the columns that
/// RepeatedMigration.swift describes.
struct ServerRepeatables {
    static let table = "lockstep_repeatable"

    private let place: ServerEngineTable

    init(schema: String) { place = ServerEngineTable(schema: schema, table: Self.table) }

    /// - Parameter kinds: What the schema has, if that is known.
    /// - Throws: `LockstepError.Code.tampered` for a row that Lockstep did not write.
    func all(
        // exact: names of the source
        _ connection: borrowing ServerConnection, _ kinds: [String: EngineTable.Kind]? = nil
    ) throws -> [RepeatedMigration] {
        let found = try place.rows(
            "\"set\", name, applied_at, checksum_bytes, checksum_text, checksum_tokens",
            order: "\"set\", name", connection, kinds
        ) { row in
            RepeatedMigration(
                set: try row[0], name: try row[1], appliedAt: try row[2], checksums: try place.checksums(row, from: 3))
        }
        guard Set(found.map { [ExactText($0.set), ExactText($0.name)] }).count == found.count else {
            throw place.impossible("second row of a name")
        }
        return found
    }

    /// Records a run, in the open transaction.
    /// - Parameter duration: In microseconds.
    func record(
        _ file: MigrationFile, of set: String, duration: Int64,
        _ connection: borrowing ServerConnection
    ) throws {
        if try !place.exists(connection) {
            try connection.execute(
                """
                CREATE TABLE \(verbatim: place.name) (
                    "set" text COLLATE "C" NOT NULL,
                    name text COLLATE "C" NOT NULL,
                    checksum_bytes bytea NOT NULL,
                    checksum_text bytea NOT NULL,
                    checksum_tokens bytea NOT NULL,
                    applied_at bigint NOT NULL,
                    duration bigint NOT NULL,
                    tool_version text NOT NULL,
                    PRIMARY KEY ("set", name)
                )
                """)
        }
        let sums = file.checksums
        try connection.execute(
            """
            INSERT INTO \(verbatim: place.name) ("set", name, checksum_bytes, checksum_text, checksum_tokens,
                applied_at, duration, tool_version)
            VALUES (\(set), \(file.name), \(sums.bytes), \(sums.text), \(sums.tokens),
                \(Clock.microsecondsSinceEpoch), \(duration), \(LockstepVersion.current))
            ON CONFLICT ("set", name) DO UPDATE SET checksum_bytes = excluded.checksum_bytes,
                checksum_text = excluded.checksum_text, checksum_tokens = excluded.checksum_tokens,
                applied_at = excluded.applied_at, duration = excluded.duration,
                tool_version = excluded.tool_version
            """)
    }
}
