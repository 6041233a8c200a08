/// The rows of the engine's tables about migrations, as stored. Anyone with the database's key can write them, so
/// each row is validated against the form that Lockstep writes.
enum LedgerRows {
    /// The additional columns of a row written with field keys.
    private static let codeColumns = [
        (name: "mac_dataset", type: "BLOB"), (name: "mac_key_version", type: "INTEGER"), (name: "mac", type: "BLOB"),
    ]

    // MARK: The ledger

    /// - Throws: ``LockstepError/Code/tampered`` for a row that Lockstep did not write.
    static func read(_ connection: borrowing Connection) throws -> [LedgerEntry] {
        guard try EngineTables.exists(EngineTables.ledger, connection) else { return [] }
        let hasCodes = try hasCodeColumns(EngineTables.ledger, connection)
        let codes = hasCodes ? ", mac_dataset, mac_key_version, mac" : ""
        let entries = try decoding("ledger") {
            try connection.query(
                """
                SELECT position, "set", version, name, checksum_bytes, checksum_text, checksum_tokens,
                       down, applied_at, duration, tool_version\(verbatim: codes)
                FROM main.lockstep_migration ORDER BY position
                """
            ) { row in
                LedgerEntry(
                    set: try row[1], version: try version(row[2]), name: try row[3],
                    checksums: try checksums(row, from: 4), down: try row[7],
                    appliedAt: try row[8], duration: try row[9], toolVersion: try row[10],
                    position: try row[0], code: hasCodes ? try code(row, from: 11) : nil)
            }
        }
        guard entries.allSatisfy({ $0.position > 0 }),
            isUnique(entries.map(\.position))
        else { throw impossible("position") }
        guard entries.allSatisfy({ $0.duration >= 0 }) else { throw impossible("duration") }
        guard isUnique(entries.map { Key($0.set, $0.version) }) else {
            throw LockstepError(
                .tampered, "the ledger contains a version twice", hint: restoreHint)
        }
        return entries
    }

    static func write(_ entry: LedgerEntry, _ connection: borrowing Connection) throws {
        var (codeNames, code): (SQL, SQL) = ("", "")
        if let found = entry.code {
            // Older versions of Lockstep name the columns that they read and write, so more columns do not disturb
            // them.
            try addCodeColumns(EngineTables.ledger, connection)
            codeNames = ", mac_dataset, mac_key_version, mac"
            code = ", \(found.dataset), \(Int64(found.keyVersion)), \(found.mac)"
        }
        try connection.execute(
            """
            INSERT INTO main.lockstep_migration (position, "set", version, name, checksum_bytes,
                checksum_text, checksum_tokens, down, applied_at, duration, tool_version\(codeNames))
            VALUES (\(entry.position), \(entry.set), \(entry.version.description), \(entry.name),
                \(entry.checksums.bytes), \(entry.checksums.text), \(entry.checksums.tokens),
                \(entry.down), \(entry.appliedAt), \(entry.duration), \(entry.toolVersion)\(code))
            """)
    }

    /// Whether the table has the code columns: all of them, or none.
    static func hasCodeColumns(
        _ table: String, _ connection: borrowing Connection
    ) throws -> Bool {
        let found = try codeColumns.count {
            try EngineTables.exists(column: $0.name, of: table, connection)
        }
        guard found == 0 || found == codeColumns.count else { throw impossible("MAC") }
        return found > 0
    }

    /// Adds the code columns to a table that has none.
    static func addCodeColumns(_ table: String, _ connection: borrowing Connection) throws {
        for column in try hasCodeColumns(table, connection) ? [] : codeColumns {
            try connection.execute(
                """
                ALTER TABLE main.\(name: table)
                ADD COLUMN \(verbatim: column.name) \(verbatim: column.type)
                """)
        }
    }

    static func code(_ row: borrowing Row, from column: Int) throws -> LedgerCode? {
        let dataset: [UInt8]? = try row[column]
        let version: Int64? = try row[column + 1]
        let mac: [UInt8]? = try row[column + 2]
        if dataset == nil, version == nil, mac == nil { return nil }
        guard let dataset, dataset.count == 16, let mac, mac.count == 32, let version,
            let keyVersion = UInt32(exactly: version), keyVersion > 0
        else { throw impossible("MAC") }
        return LedgerCode(dataset: dataset, keyVersion: keyVersion, mac: mac)
    }

    // MARK: Unfinished migrations

    /// A version is either applied or being applied, and only an applied version can be in the process of being
    /// undone.
    /// - Throws: ``LockstepError/Code/tampered``.
    static func requireConsistent(_ history: MigrationHistory) throws(LockstepError) {
        for unfinished in history.unfinished {
            let entry = history.entries.first {
                $0.set == unfinished.set && $0.version == unfinished.version
            }
            let fits =
                unfinished.isUp
                ? entry == nil
                : entry.map {
                    $0.name.hasSameBytes(as: unfinished.name) && $0.checksums == unfinished.checksums
                        && $0.down.hasSameBytes(as: unfinished.down)
                } ?? false
            guard fits else {
                throw LockstepError(
                    .tampered,
                    "version \(unfinished.version) is recorded as unfinished, which contradicts "
                        + "the ledger",
                    hint: restoreHint, context: .init(set: unfinished.set, unfinished.version))
            }
        }
    }

    // MARK: Pieces

    /// A set and one of its versions.
    struct Key: Hashable {
        let set: String
        let version: MigrationVersion

        init(_ set: String, _ version: MigrationVersion) {
            (self.set, self.version) = (set, version)
        }
    }

    static func isUnique(_ values: [some Hashable]) -> Bool { Set(values).count == values.count }

    /// Runs `body`, which decodes rows of `table`. Lockstep did not write a row with other types.
    static func decoding<Result>(_ table: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError where error.code == .decodeMismatch {
            throw LockstepError(
                .tampered, "the \(table) contains a value of the wrong type",
                hint: restoreHint)
        }
    }

    /// A version in canonical form, without leading zeros: two spellings of one version would be two rows.
    static func version(_ text: String) throws(LockstepError) -> MigrationVersion {
        guard let version = MigrationVersion(text), version.description == text else {
            throw impossible("version")
        }
        return version
    }

    /// The three checksums, the first of them in `column`.
    static func checksums(
        _ row: borrowing Row, from column: Int
    ) throws -> MigrationChecksums {
        let checksums = MigrationChecksums(
            bytes: try row[column], text: try row[column + 1], tokens: try row[column + 2])
        guard
            [checksums.bytes, checksums.text, checksums.tokens].allSatisfy({ $0.count == 32 })
        else { throw impossible("checksum") }
        return checksums
    }

    static func impossible(_ what: String) -> LockstepError {
        LockstepError(
            .tampered, "the ledger contains an invalid \(what)", hint: restoreHint)
    }

    private static let restoreHint = "restore the database from a backup"
}
