// What a database says of its sealed columns
// ==========================================
//
//   lockstep_dataset       one row for each dataset
//     dataset        its identifier, 16 bytes
//     changes        how many times what is said of it was changed, 1 or more
//     key_version    the field key that the MACs are made with
//     mac            HMAC-SHA256 over `set/2`, dataset, database, changes, key_version, the number of columns and
//                    their MACs by id, the number of keys, and their versions and commitments by version, the number
//                    of blind indexes and their MACs by column and number
//     database       the database's id, 16 bytes: see KeyringTable.swift
//   lockstep_column        one row for each column that is or ever was sealed
//     dataset, id    its number in the dataset, 1 to 2^32 − 1
//     table_name, name   empty names once another column has taken its place
//     mode, padding, state, cursor
//     mac            HMAC-SHA256 over `column/2` and all of these, row_key last
//     row_key        what its cells are bound to: `row` and the name of the INTEGER PRIMARY KEY, or `key` and the
//                    names of the primary key's columns in the key's order, spelled as in manifests and parted by
//                    spaces; NULL for deterministic cells and for a column that is plaintext
//   lockstep_index         one row for each blind index of a column that is not plaintext
//     dataset, column_id, number   its number among those that the column ever had
//     name           the column of the table that holds its tokens
//     normaliser, bits, key_version
//     commitment     the fingerprint of the index key of that version, 32 bytes
//     mac            HMAC-SHA256 over `index/1` and all of these
//   lockstep_field_key     one row for each version of the field key
//     dataset, version, commitment (32 bytes)
//
// Each MAC's key is HKDF-SHA256(field key, salt = dataset, info = `registry`). In what is authenticated, numbers
// are of 8 bytes, big-endian; texts and bytes have their length before them, as such a number; what is NULL is
// one byte 0, and what is not has one byte 1 before it.
//
// That is the second format. In the first there are no columns `database` and `row_key` (or
// the dataset's `database` is NULL), and the MACs are over `set/1` without the database, and over `column/1` without
// row_key. It is read where the fields keyring remembers no database at all, and the next change writes the second.
//
// All of it is valid if the id is the file's, each commitment is the keyring's, each MAC is right, and there is a row for each column
// and key that the set's MAC covers, and no other.

/// Reads and writes the tables.
enum RegistryTables {
    /// What the database says of the keyring's dataset; nil if nothing.
    /// - Throws: ``LockstepError/Code/registryForged``, ``LockstepError/Code/keyringMismatch``,
    ///   ``LockstepError/Code/keyUnavailable``.
    static func read(
        _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> ColumnRegistry? {
        guard try EngineTables.exists(EngineTables.datasets, connection) else { return nil }
        return try namingForgery { try readRows(keys, connection) }
    }

    /// How many times what is said of a dataset was changed, as it stands there; 0 if nothing is said.
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

    /// Tables that lack a column, or hold another type of value, were changed by somebody else.
    private static func namingForgery<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError
            where error.code == .decodeMismatch || error.code == .sqlFailed
        {
            throw forged("is impossible")
        }
    }

    private static func readRows(
        _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> ColumnRegistry? {
        let database = EngineTables.has("database", in: EngineTables.datasets, connection)
        let sets = try connection.query(
            """
            SELECT changes, key_version, mac, \(verbatim: database ? "database" : "NULL")
            FROM main.lockstep_dataset WHERE dataset = ?
            """, keys.dataset
        ) { row in
            (
                changes: try row[0] as Int64, version: try row[1] as Int64,
                mac: try row[2] as [UInt8], database: try row[3] as [UInt8]?
            )
        }
        guard let set = sets.first else { return nil }
        let commitments = try commitments(keys, connection)
        guard let changes = UInt64(exactly: set.changes), changes > 0,
            let version = UInt32(exactly: set.version)
        else { throw forged("is impossible") }
        if let id = set.database, try id != KeyringTable.database(connection) {
            throw forged("is another database's")
        }
        var (columns, macs) = try columns(keys.dataset, connection)
        // The first format's codes do not cover it.
        guard set.database != nil || columns.allSatisfy({ $0.rowKey == nil }) else {
            throw forged("is impossible")
        }
        let indexMACs = try RegistryIndexes.read(into: &columns, keys, connection)
        var registry = ColumnRegistry(
            dataset: keys.dataset, database: set.database, changes: changes, columns: columns,
            commitments: commitments)
        let codes = try RegistryCodes(registry, keys, version)
        guard equal(macs, codes.columns) else { throw forged("of a column does not authenticate") }
        guard equal(indexMACs, codes.indexes) else {
            throw forged("of a blind index does not authenticate")
        }
        guard ConstantTime.equal(set.mac.span, codes.set.span) else {
            throw forged("does not authenticate as a whole")
        }
        registry.code = codes.set
        return registry
    }

    /// Writes what the dataset's columns are from now on, in the transaction that is open.
    static func write(
        _ registry: inout ColumnRegistry, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws {
        let (changes, overflow) = registry.changes.addingReportingOverflow(1)
        guard !overflow, changes <= UInt64(Int64.max) else {
            throw LockstepError(.misuse, "the dataset was changed too often")
        }
        registry.changes = changes
        registry.database = try KeyringTable.identify(connection)
        registry.learn(keys)
        try registry.nameRowKeys(connection)
        let codes = try RegistryCodes(registry, keys, keys.activeVersion)
        registry.code = codes.set
        try prepare(connection)
        try connection.execute(
            """
            INSERT OR REPLACE INTO main.lockstep_dataset (dataset, changes, key_version, mac, database)
            VALUES (?, ?, ?, ?, ?)
            """, registry.dataset, Int64(changes), Int64(keys.activeVersion), codes.set,
            registry.database)
        let column = try connection.prepare(
            """
            INSERT OR REPLACE INTO main.lockstep_column
                (dataset, id, table_name, name, mode, padding, state, cursor, mac, row_key)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        for (one, mac) in zip(registry.columns, codes.columns) {
            try column.run(
                registry.dataset, Int64(one.id), one.table, one.name, one.mode.rawValue,
                one.padding.unit, one.state.rawValue, one.cursor, mac, one.rowKey?.spelling)
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

    /// The columns of all datasets that are not plaintext, as anybody may claim: for messages to those who
    /// cannot open them.
    static func claimed(_ connection: borrowing Connection) throws -> [SealedColumn] {
        guard try EngineTables.exists(EngineTables.columns, connection) else { return [] }
        return try namingForgery { try claims(connection) }
    }

    private static func claims(_ connection: borrowing Connection) throws -> [SealedColumn] {
        let datasets = try connection.query(
            "SELECT DISTINCT dataset FROM main.lockstep_column ORDER BY dataset"
        ) { row in try row[0] as [UInt8] }
        var claimed: [SealedColumn] = []
        for dataset in datasets {
            claimed += try columns(dataset, connection).columns.filter { $0.state != .plaintext }
        }
        return claimed
    }

    // MARK: Pieces

    private static func equal(_ some: [[UInt8]], _ others: [[UInt8]]) -> Bool {
        some.count == others.count
            && zip(some, others).allSatisfy { ConstantTime.equal($0.span, $1.span) }
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
            else { throw forged("is impossible") }
            commitments[version] = row.commitment
            // A keyring of before may not know the newest key.
            if let own = keys.commitment(version), own != row.commitment {
                throw LockstepError(
                    .keyringMismatch,
                    "the keyring's field key \(version) is not the one that the database names",
                    hint:
                        "give the keyring of this dataset; if it is, the database was tampered with"
                )
            }
        }
        return commitments
    }

    private static func columns(
        _ dataset: [UInt8], _ connection: borrowing Connection
    ) throws -> (columns: [SealedColumn], macs: [[UInt8]]) {
        var columns: [SealedColumn] = []
        let rowKey = EngineTables.has("row_key", in: EngineTables.columns, connection)
        let macs = try connection.query(
            """
            SELECT id, table_name, name, mode, padding, state, cursor, mac,
                \(verbatim: rowKey ? "row_key" : "NULL")
            FROM main.lockstep_column WHERE dataset = ? ORDER BY id
            """, dataset
        ) { row in
            guard let id = UInt32(exactly: try row[0] as Int64), id > 0,
                let mode = SealedColumn.Mode(rawValue: try row[3]),
                let padding = CellPadding(unit: try row[4]),
                let state = SealedColumn.State(rawValue: try row[5])
            else { throw forged("is impossible") }
            let spelling = try row[8] as String?
            let rowKey = spelling.flatMap(SealedRowKey.init)
            guard rowKey?.spelling == spelling else { throw forged("is impossible") }
            columns.append(
                SealedColumn(
                    id: id, table: try row[1], name: try row[2], mode: mode, padding: padding,
                    state: state, cursor: try row[6], rowKey: rowKey))
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
                database BLOB
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
                PRIMARY KEY (dataset, id)
            ) WITHOUT ROWID
            """)
        for (table, column, type) in [
            (EngineTables.datasets, "database", "BLOB"), (EngineTables.columns, "row_key", "TEXT"),
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
            .registryForged, "what the database says of its sealed columns \(what)",
            hint:
                "somebody changed it without the fields keyring; restore the database from a backup"
        )
    }
}
