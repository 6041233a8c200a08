// The registry of sealed columns in a database
// ============================================
//
//   lockstep_dataset       one row for each dataset
//     dataset        its identifier, 16 bytes
//     changes        the number of changes to the dataset's registry, 1 or more
//     key_version    the field key that makes the MACs
//     mac            HMAC-SHA256 over `set/3`, dataset, registry, changes, key_version, the number of columns and
//                    their MACs by id, the number of keys, and their versions and commitments by version, the number
//                    of blind indexes and their MACs by column and number
//     database       NULL
//     registry       its own identity, 16 random bytes, which copies keep
//   lockstep_column        one row for each column that is or ever was sealed
//     dataset, id    its number in the dataset, 1 to 2^32 − 1
//     table_name, name   empty names once another column has taken the name
//     mode, padding, state, cursor
//     mac            HMAC-SHA256 over `column/3`, dataset, registry and all of these, row_key and identity last
//     row_key        what its cells are bound to: `row` and the name of the INTEGER PRIMARY KEY, or `key` and the
//                    names of the primary key's columns in the key's order, spelled as in manifests and separated
//                    by spaces; NULL for deterministic cells and for a plaintext column
//     identity       what its cells and tokens belong to, 16 random bytes: binding version 2, see CellFormat.swift;
//                    NULL for a column whose cells belong to its number, because an earlier build sealed it
//   lockstep_index         one row for each blind index of a column that is not plaintext
//     dataset, column_id, number   its number among all indexes that the column ever had
//     name           the column of the table that holds its tokens
//     normaliser, bits, key_version
//     commitment     the fingerprint of the index key of that version, 32 bytes
//     mac            HMAC-SHA256 over `index/3`, dataset, registry and all of these
//   lockstep_field_key     one row for each version of the field key
//     dataset, version, commitment (32 bytes)
//
// Each MAC's key is HKDF-SHA256(field key, salt = dataset, info = `registry`). In the authenticated bytes, a number
// takes 8 bytes, big-endian; texts and byte strings follow their length, which is such a number; a NULL is one byte 0,
// and any other value in a column that can be NULL follows one byte 1.
//
// A column whose state is `resealing` has cells of both binding versions, and its tokens are those of its number.
//
// This is the third format. The second has no columns `registry` and `identity` (or the dataset's `registry` is NULL);
// its `database` is the id of the database (see KeyringTable.swift), which is in place of `registry` in `set/2`;
// `column/2` and `index/1` have neither, and no identity. The first has no columns `database` and `row_key` either (or
// the dataset's `database` is NULL), and its MACs are over `set/1` without the database, and over `column/1` without
// row_key. The engine reads the first format if the fields keyring remembers no database at all. The next change
// writes the third: a registry that was in the second format gets the identity that follows from the id of its
// database (see RegistryFormat.swift), and its columns get none.
//
// The registry is valid if each commitment is the keyring's, each MAC is right, and each column and key that the set's
// MAC covers has exactly one row, and no other rows exist. Which registry belongs to the file, and at which change, is
// what the fields keyring remembers.

/// Reads and writes the tables.
enum RegistryTables {
    /// The registry of the keyring's dataset; nil if the database has none.
    /// - Throws: ``LockstepError/Code/registryForged``, ``LockstepError/Code/keyringMismatch``,
    ///   ``LockstepError/Code/keyUnavailable``.
    static func read(
        _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> ColumnRegistry? {
        guard try EngineTables.exists(EngineTables.datasets, connection) else { return nil }
        return try namingForgery { try readRows(keys, connection) }
    }

    /// The stored number of changes to a dataset's registry, not authenticated; 0 without a registry.
    static func changes(
        of dataset: [UInt8], _ connection: borrowing Connection
    ) throws -> UInt64 {
        try namingForgery {
            let changes = try connection.value(
                "SELECT changes FROM main.lockstep_dataset WHERE dataset = ?", dataset,
                as: Int64.self)
            return UInt64(clamping: changes ?? 0)
        }
    }

    /// A table that lacks a column, or holds another type of value, was not written by the engine.
    private static func namingForgery<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError
            where error.code == .decodeMismatch || error.code == .sqlFailed
        {
            throw forged("has impossible values")
        }
    }

    private static func readRows(
        _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> ColumnRegistry? {
        let sets = try connection.query(
            """
            SELECT changes, key_version, mac, \(verbatim: optional("database", in: EngineTables.datasets, connection)),
                \(verbatim: optional("registry", in: EngineTables.datasets, connection))
            FROM main.lockstep_dataset WHERE dataset = ?
            """, keys.dataset
        ) { row in
            (
                changes: try row[0] as Int64, version: try row[1] as Int64,
                mac: try row[2] as [UInt8], database: try row[3] as [UInt8]?,
                identity: try row[4] as [UInt8]?
            )
        }
        guard let set = sets.first else { return nil }
        for table in [EngineTables.columns, EngineTables.fieldKeys]
        where try !EngineTables.exists(table, connection) {
            throw forged("lacks the table \(table)")
        }
        let commitments = try commitments(keys, connection)
        guard let changes = UInt64(exactly: set.changes), changes > 0,
            let version = UInt32(exactly: set.version), isIdentity(set.identity),
            set.identity == nil || set.database == nil
        else { throw forged("has impossible values") }
        if let id = set.database, try id != KeyringTable.database(connection) {
            throw forged("belongs to another database")
        }
        var (columns, macs) = try columns(keys.dataset, connection)
        let indexMACs = try RegistryIndexes.read(into: &columns, keys, connection)
        var registry = ColumnRegistry(
            dataset: keys.dataset, identity: set.identity, database: set.database,
            changes: changes, columns: columns, commitments: commitments)
        // The MACs of the first format do not cover the row key, and those of the second no identity.
        guard registry.format != .first || columns.allSatisfy({ $0.rowKey == nil }),
            registry.format == .third
                || columns.allSatisfy({ $0.identity == nil && $0.state != .resealing })
        else { throw forged("has impossible values") }
        let codes = try RegistryCodes(registry, keys, version)
        guard equal(macs, codes.columns) else {
            throw forged("has a column entry that does not authenticate")
                .adding(first(columns, macs, codes.columns))
        }
        guard equal(indexMACs, codes.indexes) else {
            let owners = registry.columns.flatMap { column in column.indexes.map { _ in column } }
            throw forged("has a blind index entry that does not authenticate")
                .adding(first(owners, indexMACs, codes.indexes))
        }
        guard ConstantTime.equal(set.mac.span, codes.set.span) else {
            throw forged("does not authenticate as a whole")
        }
        (registry.code, registry.keyVersion) = (codes.set, version)
        return registry
    }

    /// Writes the dataset's new registry in the open transaction.
    static func write(
        _ registry: inout ColumnRegistry, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws {
        let (changes, overflow) = registry.changes.addingReportingOverflow(1)
        guard !overflow, changes <= UInt64(Int64.max) else {
            throw LockstepError(
                .misuse, "the dataset's registry has reached the maximum number of changes")
        }
        registry.changes = changes
        // The fields keyring remembers the registry by the database's id.
        _ = try KeyringTable.identify(connection)
        try registry.identify()
        registry.learn(keys)
        try registry.nameRowKeys(connection)
        let codes = try RegistryCodes(registry, keys, keys.activeVersion)
        (registry.code, registry.keyVersion) = (codes.set, keys.activeVersion)
        try prepare(connection)
        try connection.execute(
            """
            INSERT OR REPLACE INTO main.lockstep_dataset (dataset, changes, key_version, mac, registry)
            VALUES (?, ?, ?, ?, ?)
            """, registry.dataset, Int64(changes), Int64(keys.activeVersion), codes.set,
            registry.identity)
        let column = try connection.prepare(
            """
            INSERT OR REPLACE INTO main.lockstep_column
                (dataset, id, table_name, name, mode, padding, state, cursor, mac, row_key, identity)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        for (one, mac) in zip(registry.columns, codes.columns) {
            try column.run(
                registry.dataset, Int64(one.id), one.table, one.name, one.mode.rawValue,
                one.padding.unit, one.state.rawValue, one.cursor, mac, one.rowKey?.spelling,
                one.identity)
        }
        try RegistryIndexes.write(registry, codes.indexes, keys, connection)
        let key = try connection.prepare(
            """
            INSERT OR IGNORE INTO main.lockstep_field_key (dataset, version, commitment)
            VALUES (?, ?, ?)
            """)
        for (version, commitment) in registry.commitments {
            try key.run(registry.dataset, Int64(version), commitment)
        }
    }

    /// Removes what the tables hold of a dataset, in the open transaction.
    static func remove(_ dataset: [UInt8], _ connection: borrowing Connection) throws {
        for table in [
            EngineTables.datasets, EngineTables.columns, EngineTables.indexes,
            EngineTables.fieldKeys,
        ] where try EngineTables.exists(table, connection) {
            try connection.execute("DELETE FROM main.\(name: table) WHERE dataset = ?", dataset)
        }
    }

    /// The columns of all datasets that are not plaintext, as the tables claim without proof: for messages to callers
    /// that do not have their keys.
    static func claimed(_ connection: borrowing Connection) throws -> [SealedColumn] {
        guard try EngineTables.exists(EngineTables.columns, connection) else { return [] }
        return try namingForgery { try claims(connection) }
    }

    /// The datasets that the tables claim to have sealed columns of, without proof.
    static func datasets(_ connection: borrowing Connection) throws -> [[UInt8]] {
        guard try EngineTables.exists(EngineTables.datasets, connection) else { return [] }
        return try namingForgery {
            try connection.query("SELECT dataset FROM main.lockstep_dataset ORDER BY dataset") {
                row in try row[0]
            }
        }
    }

    private static func claims(_ connection: borrowing Connection) throws -> [SealedColumn] {
        let datasets = try connection.query(
            "SELECT DISTINCT dataset FROM main.lockstep_column ORDER BY dataset"
        ) { row in try row[0] as [UInt8] }
        var claimed: [SealedColumn] = []
        for dataset in datasets {
            var columns = try columns(dataset, connection).columns
            try RegistryIndexes.claim(into: &columns, of: dataset, connection)
            claimed += columns.filter { $0.state != .plaintext }
        }
        return claimed
    }

    // MARK: Pieces

    /// A column of a table as SQL, or NULL if the table is of a format without it.
    private static func optional(
        _ column: String, in table: String, _ connection: borrowing Connection
    ) -> String {
        EngineTables.has(column, in: table, connection) ? column : "NULL"
    }

    private static func isIdentity(_ bytes: [UInt8]?) -> Bool {
        bytes?.count ?? CellOwner.identityLength == CellOwner.identityLength
    }

    private static func equal(_ some: [[UInt8]], _ others: [[UInt8]]) -> Bool {
        some.count == others.count
            && zip(some, others).allSatisfy { ConstantTime.equal($0.span, $1.span) }
    }

    /// The context of the first column whose MAC is not the expected one.
    private static func first(
        _ columns: [SealedColumn], _ found: [[UInt8]], _ expected: [[UInt8]]
    ) -> LockstepError.Context {
        zip(columns, zip(found, expected)).first { $1.0 != $1.1 }?.0.context ?? .init()
    }

    private static func commitments(
        _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> [UInt32: [UInt8]] {
        let rows = try connection.query(
            "SELECT version, commitment FROM main.lockstep_field_key WHERE dataset = ?",
            keys.dataset
        ) { row in (version: try row[0] as Int64, commitment: try row[1] as [UInt8]) }
        var commitments: [UInt32: [UInt8]] = [:]
        for row in rows {
            guard let version = UInt32(exactly: row.version), version > 0,
                row.commitment.count == 32
            else { throw forged("has impossible values") }
            commitments[version] = row.commitment
            // An older keyring does not have the newest key.
            if let own = keys.commitment(version), own != row.commitment {
                throw LockstepError(
                    .keyringMismatch,
                    "the keyring's field key \(version) differs from the one in the database's registry",
                    hint:
                        "use this dataset's fields keyring; if you did, somebody tampered with the database"
                )
            }
        }
        return commitments
    }

    private static func columns(
        _ dataset: [UInt8], _ connection: borrowing Connection
    ) throws -> (columns: [SealedColumn], macs: [[UInt8]]) {
        var columns: [SealedColumn] = []
        let macs = try connection.query(
            """
            SELECT id, table_name, name, mode, padding, state, cursor, mac,
                \(verbatim: optional("row_key", in: EngineTables.columns, connection)),
                \(verbatim: optional("identity", in: EngineTables.columns, connection))
            FROM main.lockstep_column WHERE dataset = ? ORDER BY id
            """, dataset
        ) { row in
            guard let id = UInt32(exactly: try row[0] as Int64), id > 0,
                let mode = SealedColumn.Mode(rawValue: try row[3]),
                let padding = CellPadding(unit: try row[4]),
                let state = SealedColumn.State(rawValue: try row[5])
            else { throw forged("has impossible values") }
            let spelling = try row[8] as String?
            let rowKey = spelling.flatMap(SealedRowKey.init)
            let identity = try row[9] as [UInt8]?
            guard rowKey?.spelling == spelling, isIdentity(identity),
                state != .resealing || identity != nil
            else { throw forged("has impossible values") }
            columns.append(
                SealedColumn(
                    id: id, identity: identity, table: try row[1], name: try row[2], mode: mode,
                    padding: padding, state: state, cursor: try row[6], rowKey: rowKey))
            return try row[7] as [UInt8]
        }
        return (columns, macs)
    }

    private static func prepare(_ connection: borrowing Connection) throws {
        try RegistryIndexes.prepare(connection)
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS main.lockstep_dataset (
                dataset BLOB PRIMARY KEY NOT NULL,
                changes INTEGER NOT NULL,
                key_version INTEGER NOT NULL,
                mac BLOB NOT NULL,
                database BLOB,
                registry BLOB
            ) WITHOUT ROWID
            """)
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS main.lockstep_column (
                dataset BLOB NOT NULL,
                id INTEGER NOT NULL,
                table_name TEXT NOT NULL,
                name TEXT NOT NULL,
                mode TEXT NOT NULL,
                padding INTEGER NOT NULL,
                state TEXT NOT NULL,
                cursor INTEGER,
                mac BLOB NOT NULL,
                row_key TEXT,
                identity BLOB,
                PRIMARY KEY (dataset, id)
            ) WITHOUT ROWID
            """)
        for (table, column, type) in [
            (EngineTables.datasets, "database", "BLOB"), (EngineTables.columns, "row_key", "TEXT"),
            (EngineTables.datasets, "registry", "BLOB"), (EngineTables.columns, "identity", "BLOB"),
        ] where !EngineTables.has(column, in: table, connection) {
            try connection.execute(
                "ALTER TABLE main.\(name: table) ADD COLUMN \(name: column) \(verbatim: type)")
        }
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS main.lockstep_field_key (
                dataset BLOB NOT NULL,
                version INTEGER NOT NULL,
                commitment BLOB NOT NULL,
                PRIMARY KEY (dataset, version)
            ) WITHOUT ROWID
            """)
    }

    static func forged(_ what: String) -> LockstepError {
        LockstepError(
            .registryForged, "the database's registry of sealed columns \(what)",
            hint:
                "somebody changed it without the fields keyring; restore the database from a backup"
        )
    }
}
