extension StoredTable {
    /// See LedgerEntry.swift.
    package static let ledger = StoredTable(
        EngineTables.ledger,
        [.init("position", .integer), .init("set", .text), .init("version", .text), .init("name", .text)]
            + checksums + [
                .init("down", .text, optional: true), .init("applied_at", .integer), .init("duration", .integer),
                .init("tool_version", .text),
            ] + code,
        key: ["position"], unique: ["set", "version"], invalid: LedgerRows.invalid("ledger"))

    /// See UnfinishedMigration.swift.
    static let progress = StoredTable(
        EngineTables.progress,
        begun + [
            .init("segment", .integer), .init("cursor", .anything, optional: true), .init("started_at", .integer),
            .init("completed", .bytes, later: true),
        ] + code,
        key: ["set", "version"], order: ["started_at"], invalid: LedgerRows.invalid("progress table"))

    /// See RepeatedMigration.swift.
    package static let repeatables = StoredTable(
        EngineTables.repeatables,
        [.init("set", .text), .init("name", .text)] + checksums + [
            .init("applied_at", .integer), .init("duration", .integer), .init("tool_version", .text),
        ],
        key: ["set", "name"], invalid: LedgerRows.invalid("ledger of repeatable migrations"))

    private static let checksums: [Column] = [
        .init("checksum_bytes", .bytes), .init("checksum_text", .bytes), .init("checksum_tokens", .bytes),
    ]

    /// What both engines note of a version in progress.
    package static let begun =
        [.init("set", .text), .init("version", .text), .init("name", .text)] + checksums + [
            .init("down", .text, optional: true), .init("is_up", .flag),
        ]

    private static let code: [Column] = [
        .init("mac_dataset", .bytes, later: true), .init("mac_key_version", .integer, later: true),
        .init("mac", .bytes, later: true),
    ]
}

/// The rows of the engine's tables about migrations, as every engine stores them. Anyone with the database's key, and
/// a server's operator, can write them: each row is held to the form that Lockstep writes.
package enum LedgerRows {
    static func invalid(_ table: String) -> @Sendable (String) -> LockstepError {
        { what in LockstepError(.tampered, "the \(table) contains \(what)", hint: restoreHint) }
    }

    static let restoreHint = "restore the database from a backup"

    // MARK: The ledger

    /// - Throws: ``LockstepError/Code/tampered`` for a row that Lockstep did not write.
    package static func read(_ store: borrowing some TableStore & ~Copyable) throws -> [LedgerEntry] {
        let entries = try (store.rows(of: .ledger, with: nil) ?? []).map { row in
            LedgerEntry(
                set: try row[1], version: try row.version(2), name: try row[3], checksums: try row.checksums(4),
                down: try row[7], appliedAt: try row[8], duration: try row[9], toolVersion: try row[10],
                position: try row[0], code: try row.code(11))
        }
        let invalid = StoredTable.ledger.invalid
        guard entries.allSatisfy({ $0.position > 0 }), isUnique(entries.map(\.position)) else {
            throw invalid("an invalid position")
        }
        guard entries.allSatisfy({ $0.duration >= 0 }) else { throw invalid("an invalid duration") }
        guard isUnique(entries.map { Key($0.set, $0.version) }) else { throw invalid("a version twice") }
        return entries
    }

    static func write(_ entry: LedgerEntry, _ store: borrowing some TableStore & ~Copyable) throws {
        if entry.code != nil { try store.make(.ledger) }
        try store.insert(
            [.integer(entry.position), .text(entry.set), .text(entry.version.description), .text(entry.name)]
                + values(entry.checksums) + [
                    Value(entry.down), .integer(entry.appliedAt), .integer(entry.duration), .text(entry.toolVersion),
                ] + values(entry.code), into: .ledger)
    }

    /// Records a version as applied, in the open transaction.
    /// - Parameters:
    ///   - last: The newest position.
    ///   - duration: In microseconds.
    package static func record(
        _ migration: Migration, of set: String, after last: Int64, duration: Int64, _ codes: LedgerCodes,
        _ store: borrowing some TableStore & ~Copyable
    ) throws {
        // The MAC covers the position, so the position must be known before the row is written.
        let (position, overflow) = last.addingReportingOverflow(1)
        guard !overflow else { throw StoredTable.ledger.invalid("an invalid position") }
        var entry = LedgerEntry(
            set: set, version: migration.version, name: migration.name, checksums: migration.checksums,
            down: migration.recordedDown, appliedAt: Clock.microsecondsSinceEpoch, duration: duration,
            toolVersion: LockstepVersion.current, position: position)
        entry.code = try codes.code(for: entry)
        try write(entry, store)
    }

    // MARK: Repeatable migrations

    /// - Throws: ``LockstepError/Code/tampered`` for a row that Lockstep did not write.
    package static func repeated(_ store: borrowing some TableStore & ~Copyable) throws -> [RepeatedMigration] {
        let found = try (store.rows(of: .repeatables, with: nil) ?? []).map { row in
            RepeatedMigration(set: try row[0], name: try row[1], appliedAt: try row[5], checksums: try row.checksums(2))
        }
        guard isUnique(found.map { [ExactText($0.set), ExactText($0.name)] }) else {
            throw StoredTable.repeatables.invalid("an invalid repeatable migration")
        }
        return found
    }

    /// Notes a run, in the open transaction.
    /// - Parameter duration: In microseconds.
    package static func note(
        _ file: MigrationFile, of set: String, duration: Int64, _ store: borrowing some TableStore & ~Copyable
    ) throws {
        try store.make(.repeatables)
        try store.delete(from: .repeatables, where: [("set", .text(set)), ("name", .text(file.name))])
        try store.insert(
            [.text(set), .text(file.name)] + values(file.checksums) + [
                .integer(Clock.microsecondsSinceEpoch), .integer(duration), .text(LockstepVersion.current),
            ], into: .repeatables)
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

    /// Requires that a version has one row.
    package static func requireOneEach(_ begun: [UnfinishedMigration], in table: StoredTable) throws(LockstepError) {
        guard isUnique(begun.map { Key($0.set, $0.version) }) else { throw table.invalid("an invalid progress entry") }
    }

    package static func values(_ checksums: MigrationChecksums) -> [Value] {
        [.blob(checksums.bytes), .blob(checksums.text), .blob(checksums.tokens)]
    }

    static func values(_ code: LedgerCode?) -> [Value] {
        guard let code else { return [.null, .null, .null] }
        return [.blob(code.dataset), .integer(Int64(code.keyVersion)), .blob(code.mac)]
    }

    /// The values of the columns ``StoredTable/begun``.
    package static func values(_ begun: UnfinishedMigration) -> [Value] {
        [.text(begun.set), .text(begun.version.description), .text(begun.name)] + values(begun.checksums)
            + [Value(begun.down), .integer(begun.isUp ? 1 : 0)]
    }
}

extension StoredRow {
    /// A version in canonical form, without leading zeros: two spellings of one version would be two rows.
    package func version(_ column: Int) throws(LockstepError) -> MigrationVersion {
        let text: String = try self[column]
        guard let version = MigrationVersion(text), version.description == text else {
            throw table.invalid("an invalid version")
        }
        return version
    }

    /// The three checksums, the first of them in `column`.
    package func checksums(_ column: Int) throws(LockstepError) -> MigrationChecksums {
        let sums = MigrationChecksums(bytes: try self[column], text: try self[column + 1], tokens: try self[column + 2])
        guard [sums.bytes, sums.text, sums.tokens].allSatisfy({ $0.count == 32 }) else {
            throw table.invalid("an invalid checksum")
        }
        return sums
    }

    func code(_ column: Int) throws(LockstepError) -> LedgerCode? {
        let (dataset, version, mac): ([UInt8]?, Int64?, [UInt8]?) = (
            try self[column], try self[column + 1], try self[column + 2]
        )
        if dataset == nil, version == nil, mac == nil { return nil }
        guard let dataset, dataset.count == 16, let mac, mac.count == 32, let version,
            let keyVersion = UInt32(exactly: version), keyVersion > 0
        else { throw table.invalid("an invalid MAC") }
        return LedgerCode(dataset: dataset, keyVersion: keyVersion, mac: mac)
    }
}

extension Value {
    /// A text, or NULL.
    init(_ text: String?) { self = text.map(Value.text) ?? .null }
}
