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

/// Reads and writes the tables of a file.
package enum RegistryTables {
    /// The registry of the keyring's dataset; nil if the database has none.
    /// - Throws: ``LockstepError/Code/registryForged``, ``LockstepError/Code/keyringMismatch``,
    ///   ``LockstepError/Code/keyUnavailable``.
    static func read(
        _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> ColumnRegistry? {
        guard let records = try records(of: keys.dataset, connection) else { return nil }
        if let id = records.dataset.database, try id != KeyringTable.database(connection) {
            throw forged("belongs to another database")
        }
        return try records.registry(keys)
    }

    /// The rows of a dataset's registry, without proof; nil if the database has none.
    /// - Throws: ``LockstepError/Code/registryForged`` for values of types that the engine does not write.
    package static func records(
        of dataset: [UInt8], _ connection: borrowing Connection
    ) throws -> RegistryRecords? {
        guard try EngineTables.exists(EngineTables.datasets, connection) else { return nil }
        return try namingForgery {
            guard let row = try datasetRow(dataset, connection) else { return nil }
            for table in [EngineTables.columns, EngineTables.fieldKeys]
            where try !EngineTables.exists(table, connection) {
                throw forged("lacks the table \(table)")
            }
            return RegistryRecords(
                id: dataset, dataset: row, columns: try columnRows(dataset, connection),
                indexes: try indexRows(dataset, connection), fieldKeys: try keyRows(dataset, connection))
        }
    }

    /// The stored number of changes to a dataset's registry, not authenticated; 0 without a registry.
    static func changes(
        of dataset: [UInt8], _ connection: borrowing Connection
    ) throws -> UInt64 {
        try namingForgery {
            let changes = try connection.value(
                "SELECT changes FROM main.lockstep_dataset WHERE dataset = ?", dataset, as: Int64.self)
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

    /// Writes the dataset's new registry in the open transaction.
    static func write(_ registry: inout ColumnRegistry, _ keys: FieldKeys, _ connection: borrowing Connection) throws {
        // The fields keyring remembers the registry by the database's id.
        _ = try KeyringTable.identify(connection)
        let records = try RegistryRecords(changing: &registry, keys) { table in
            try SealedTable(table, connection).flatMap { SealedRowKey($0.key) }
        }
        try write(records, connection)
    }

    /// Writes the rows of a registry, in place of those of its dataset, in the open transaction.
    package static func write(
        _ records: RegistryRecords, _ connection: borrowing Connection
    ) throws {
        try prepare(connection)
        let dataset = records.dataset
        try connection.execute(
            """
            INSERT OR REPLACE INTO main.lockstep_dataset (dataset, changes, key_version, mac, registry)
            VALUES (?, ?, ?, ?, ?)
            """, records.id, dataset.changes, dataset.keyVersion, dataset.mac, dataset.registry)
        let column = try connection.prepare(
            """
            INSERT OR REPLACE INTO main.lockstep_column
                (dataset, id, table_name, name, mode, padding, state, cursor, mac, row_key, identity)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        for one in records.columns {
            try column.run(
                records.id, one.id, one.table, one.name, one.mode, one.padding, one.state,
                one.cursor, one.mac, one.rowKey, one.identity)
        }
        try connection.execute(
            "DELETE FROM main.lockstep_index WHERE dataset = ?", records.id)
        let index = try connection.prepare(
            """
            INSERT INTO main.lockstep_index
                (dataset, column_id, number, name, normaliser, bits, key_version, commitment, mac)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        for one in records.indexes {
            try index.run(
                records.id, one.column, one.number, one.name, one.normaliser, one.bits,
                one.keyVersion, one.commitment, one.mac)
        }
        let key = try connection.prepare(
            """
            INSERT OR IGNORE INTO main.lockstep_field_key (dataset, version, commitment)
            VALUES (?, ?, ?)
            """)
        for one in records.fieldKeys { try key.run(records.id, one.version, one.commitment) }
    }

    /// Removes what the tables hold of a dataset, in the open transaction.
    static func remove(_ dataset: [UInt8], _ connection: borrowing Connection) throws {
        for table in [EngineTables.datasets, EngineTables.columns, EngineTables.indexes, EngineTables.fieldKeys]
        where try EngineTables.exists(table, connection) {
            try connection.execute("DELETE FROM main.\(name: table) WHERE dataset = ?", dataset)
        }
    }

    /// The columns of all datasets that are not plaintext, as the tables claim without proof: for messages to callers
    /// that do not have their keys.
    package static func claimed(_ connection: borrowing Connection) throws -> [SealedColumn] {
        guard try EngineTables.exists(EngineTables.columns, connection) else { return [] }
        return try namingForgery {
            let datasets = try connection.query(
                "SELECT DISTINCT dataset FROM main.lockstep_column ORDER BY dataset"
            ) { row in try row[0] as [UInt8] }
            return try datasets.flatMap { dataset in
                try RegistryRecords.claimed(columnRows(dataset, connection), indexRows(dataset, connection))
            }
        }
    }

    /// The datasets that the tables claim to have sealed columns of, without proof.
    package static func datasets(_ connection: borrowing Connection) throws -> [[UInt8]] {
        guard try EngineTables.exists(EngineTables.datasets, connection) else { return [] }
        return try namingForgery {
            try connection.query("SELECT dataset FROM main.lockstep_dataset ORDER BY dataset") {
                row in try row[0]
            }
        }
    }

    // MARK: Rows

    /// A column of a table as SQL, or NULL if the table is of a format without it.
    private static func optional(
        _ column: String, in table: String, _ connection: borrowing Connection
    ) -> String {
        EngineTables.has(column, in: table, connection) ? column : "NULL"
    }

    private static func datasetRow(
        _ dataset: [UInt8], _ connection: borrowing Connection
    ) throws -> RegistryRecords.DatasetRow? {
        try connection.query(
            """
            SELECT changes, key_version, mac, \(verbatim: optional("database", in: EngineTables.datasets, connection)),
                \(verbatim: optional("registry", in: EngineTables.datasets, connection))
            FROM main.lockstep_dataset WHERE dataset = ?
            """, dataset
        ) { row in
            RegistryRecords.DatasetRow(
                changes: try row[0], keyVersion: try row[1], mac: try row[2],
                database: try row[3], registry: try row[4])
        }.first
    }

    private static func columnRows(
        _ dataset: [UInt8], _ connection: borrowing Connection
    ) throws -> [RegistryRecords.ColumnRow] {
        try connection.query(
            """
            SELECT id, table_name, name, mode, padding, state, cursor, mac,
                \(verbatim: optional("row_key", in: EngineTables.columns, connection)),
                \(verbatim: optional("identity", in: EngineTables.columns, connection))
            FROM main.lockstep_column WHERE dataset = ? ORDER BY id
            """, dataset
        ) { row in
            RegistryRecords.ColumnRow(
                id: try row[0], table: try row[1], name: try row[2], mode: try row[3], padding: try row[4],
                state: try row[5], cursor: try row[6], mac: try row[7], rowKey: try row[8], identity: try row[9])
        }
    }

    static func indexRows(
        _ dataset: [UInt8], _ connection: borrowing Connection
    ) throws -> [RegistryRecords.IndexRow] {
        guard try EngineTables.exists(EngineTables.indexes, connection) else { return [] }
        return try connection.query(
            """
            SELECT column_id, number, name, normaliser, bits, key_version, commitment, mac
            FROM main.lockstep_index WHERE dataset = ? ORDER BY column_id, number
            """, dataset
        ) { row in
            RegistryRecords.IndexRow(
                column: try row[0], number: try row[1], name: try row[2], normaliser: try row[3],
                bits: try row[4], keyVersion: try row[5], commitment: try row[6],
                mac: try row[7])
        }
    }

    private static func keyRows(
        _ dataset: [UInt8], _ connection: borrowing Connection
    ) throws -> [RegistryRecords.FieldKeyRow] {
        try connection.query(
            "SELECT version, commitment FROM main.lockstep_field_key WHERE dataset = ?", dataset
        ) { row in RegistryRecords.FieldKeyRow(version: try row[0], commitment: try row[1]) }
    }

    private static func prepare(_ connection: borrowing Connection) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS main.lockstep_index (
                dataset BLOB NOT NULL,
                column_id INTEGER NOT NULL,
                number INTEGER NOT NULL,
                name TEXT NOT NULL,
                normaliser TEXT NOT NULL,
                bits INTEGER NOT NULL,
                key_version INTEGER NOT NULL,
                commitment BLOB NOT NULL,
                mac BLOB NOT NULL,
                PRIMARY KEY (dataset, column_id, number)
            ) WITHOUT ROWID
            """)
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
            try connection.execute("ALTER TABLE main.\(name: table) ADD COLUMN \(name: column) \(verbatim: type)")
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

    static func forged(_ what: String) -> LockstepError { RegistryRecords.forged(what) }
}
