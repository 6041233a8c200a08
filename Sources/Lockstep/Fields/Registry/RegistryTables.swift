// The registry of sealed columns in a database
// ============================================
//
//   lockstep_dataset       one row for each dataset
//     dataset        its identifier, 16 bytes
//     changes        the number of changes to the dataset's registry, 1 or more
//     key_version    the field key that makes the MACs
//     mac            HMAC-SHA256 over `set/4`, dataset, registry, database, changes, folded, earlier, key_version, the
//                    number of columns and their MACs by id, the number of keys, and their versions and commitments by
//                    version, the number of blind indexes and their MACs by column and number
//     database       the id of the database in which the last change was made, 16 bytes (see KeyringTable.swift)
//     registry       its own identity, 16 random bytes, which copies keep
//     earlier        the MACs of the sets before this one, the newest last: all of them, or the last 65,536
//     folded         what stands for those before, 32 bytes; NULL if there are none
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
// So the states of a registry form a line. A fields keyring remembers a state of each database; another one is a later
// state of it only if it holds that one among those before it. The states of a fork are changed in a database of another
// id, so that none of them is a later state of its original.
//
// `folded` is SHA-256 over `line/1`, the former `folded` (which can be NULL) and the MAC that is dropped from the
// beginning of `earlier`; it is 32 zero bytes where a registry was made again from what a keyring remembers, which knows
// only the last state.
//
// Each MAC's key is HKDF-SHA256(field key, salt = dataset, info = `registry`). In the authenticated bytes, a number
// takes 8 bytes, big-endian; texts and byte strings follow their length, which is such a number; a NULL is one byte 0,
// and any other value in a column that can be NULL follows one byte 1.
//
// A column whose state is `resealing` has cells of both binding versions, and its tokens are those of its number.
//
// This is the fourth format. In the former ones, which no release wrote and nothing reads, `earlier`, `registry` or
// `database` is NULL, or not a column.
//
// The registry is valid if each commitment is the keyring's, each MAC is right, and each column and key that the set's
// MAC covers has exactly one row, and no other rows exist. Which registry belongs to the file, and at which change, is
// what the fields keyring remembers.

/// Reads and writes the tables.
package enum RegistryTables {
    /// The registry of the keyring's dataset; nil if the database has none.
    /// - Throws: ``LockstepError/Code/registryForged``, ``LockstepError/Code/keyringMismatch``,
    ///   ``LockstepError/Code/keyUnavailable``.
    static func read(
        _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> ColumnRegistry? {
        // Of one moment: others can change it between two statements.
        try connection.read { connection in
            try records(of: keys.dataset, connection)?.registry(keys)
        }
    }

    /// The columns that the keyring's dataset proves to be sealed, or on the way there.
    /// - Throws: The errors of ``read(_:_:)``.
    static func sealed(_ keys: FieldKeys, _ connection: borrowing Connection) throws -> [SealedColumn] {
        try read(keys, connection)?.columns.filter { $0.state != .plaintext } ?? []
    }

    /// The rows of a dataset's registry, without proof; nil if the database has none.
    /// - Throws: ``LockstepError/Code/registryForged`` for values of types that the engine does not write.
    package static func records(
        of dataset: [UInt8], _ store: borrowing some TableStore & ~Copyable
    ) throws -> RegistryRecords? {
        guard let set = try store.rows(of: .datasets, with: .blob(dataset))?.first else { return nil }
        guard let columns = try store.rows(of: .columns, with: .blob(dataset)),
            let fieldKeys = try store.rows(of: .fieldKeys, with: .blob(dataset))
        else { throw forged("lacks a table") }
        return RegistryRecords(
            id: dataset,
            dataset: .init(
                changes: try set[1], keyVersion: try set[2], mac: try set[3], database: try set[4],
                registry: try set[5], earlier: try set[6], folded: try set[7]),
            columns: try columns.map(RegistryRecords.ColumnRow.init),
            indexes: try (store.rows(of: .indexes, with: .blob(dataset)) ?? []).map(RegistryRecords.IndexRow.init),
            fieldKeys: try fieldKeys.map { .init(version: try $0[1], commitment: try $0[2]) })
    }

    /// The stored number of changes to a dataset's registry, not authenticated; 0 without a registry.
    static func changes(
        of dataset: [UInt8], _ connection: borrowing Connection
    ) throws -> UInt64 {
        do {
            let changes = try connection.value(
                "SELECT changes FROM main.lockstep_dataset WHERE dataset = ?", dataset, as: Int64.self)
            return UInt64(clamping: changes ?? 0)
        } catch let error as LockstepError where [.decodeMismatch, .sqlFailed].contains(error.code) {
            throw StoredTable.datasets.invalid("a value of the wrong type")
        }
    }

    /// Writes the dataset's new registry in the open transaction.
    static func write(_ registry: inout ColumnRegistry, _ keys: FieldKeys, _ connection: borrowing Connection) throws {
        let id = try KeyringTable.identify(connection)
        let records = try RegistryRecords(changing: &registry, keys, in: id) { table in
            try SealedTable(table, connection).flatMap { SealedRowKey($0.key) }
        }
        try write(records, connection)
        try EpochCode.renew(registry, keys, connection)
    }

    /// Writes the rows of a registry, in place of those of its dataset, in the open transaction.
    package static func write(
        _ records: RegistryRecords, _ store: borrowing some TableStore & ~Copyable
    ) throws {
        let (id, set) = (Value.blob(records.id), records.dataset)
        for table in tables { try store.make(table) }
        try remove(records.id, store)
        try store.insert(
            [
                id, .integer(set.changes), .integer(set.keyVersion), .blob(set.mac),
            ] + [set.database, set.registry, set.earlier, set.folded].map { $0.map(Value.blob) ?? .null },
            into: .datasets)
        for one in records.columns { try store.insert([id] + one.values, into: .columns) }
        for one in records.indexes { try store.insert([id] + one.values, into: .indexes) }
        for one in records.fieldKeys {
            try store.insert([id, .integer(one.version), .blob(one.commitment)], into: .fieldKeys)
        }
    }

    /// Removes what the tables hold of a dataset, in the open transaction.
    static func remove(_ dataset: [UInt8], _ store: borrowing some TableStore & ~Copyable) throws {
        for table in tables where try store.has(table) {
            try store.delete(from: table, where: [("dataset", .blob(dataset))])
        }
    }

    /// The columns of all datasets that are not plaintext, as the tables claim without proof: for messages to callers
    /// that do not have their keys.
    package static func claimed(_ store: borrowing some TableStore & ~Copyable) throws -> [SealedColumn] {
        try claims(store).map(\.column)
    }

    /// The same with their datasets.
    package static func claims(
        _ store: borrowing some TableStore & ~Copyable
    ) throws -> [(dataset: [UInt8], column: SealedColumn)] {
        guard let rows = try store.rows(of: .columns, with: nil), !rows.isEmpty else { return [] }
        let columns = try Dictionary(grouping: rows) { try $0[0] as [UInt8] }
        let indexes = try Dictionary(grouping: store.rows(of: .indexes, with: nil) ?? []) { try $0[0] as [UInt8] }
        return try columns.keys.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { dataset in
            try RegistryRecords.claimed(
                columns[dataset, default: []].map(RegistryRecords.ColumnRow.init),
                indexes[dataset, default: []].map(RegistryRecords.IndexRow.init)
            ).map { (dataset, $0) }
        }
    }

    /// The datasets that the tables claim to have sealed columns of, without proof.
    package static func datasets(_ store: borrowing some TableStore & ~Copyable) throws -> [[UInt8]] {
        try store.rows(of: .datasets, with: nil)?.map { try $0[0] } ?? []
    }

    private static let tables: [StoredTable] = [.datasets, .columns, .indexes, .fieldKeys]

    static func forged(_ what: String) -> LockstepError { RegistryRecords.forged(what) }
}

extension StoredTable {
    package static let datasets = registry(
        EngineTables.datasets,
        [
            .init("changes", .integer), .init("key_version", .integer), .init("mac", .bytes),
            .init("database", .bytes, later: true), .init("registry", .bytes, later: true),
            .init("earlier", .bytes, later: true), .init("folded", .bytes, later: true),
        ], key: [])
    fileprivate static let columns = registry(
        EngineTables.columns,
        [
            .init("id", .integer), .init("table_name", .text), .init("name", .text), .init("mode", .text),
            .init("padding", .integer), .init("state", .text), .init("cursor", .integer, optional: true),
            .init("mac", .bytes), .init("row_key", .text, later: true), .init("identity", .bytes, later: true),
        ], key: ["id"])
    static let indexes = registry(
        EngineTables.indexes,
        [
            .init("column_id", .integer), .init("number", .integer), .init("name", .text), .init("normaliser", .text),
            .init("bits", .integer), .init("key_version", .integer), .init("commitment", .bytes), .init("mac", .bytes),
        ], key: ["column_id", "number"])
    fileprivate static let fieldKeys = registry(
        EngineTables.fieldKeys, [.init("version", .integer), .init("commitment", .bytes)], key: ["version"])

    /// The first column is the dataset.
    private static func registry(_ name: String, _ columns: [Column], key: [String]) -> StoredTable {
        StoredTable(
            name, [.init("dataset", .bytes)] + columns, key: ["dataset"] + key, isWithoutRowID: true
        ) { _ in RegistryRecords.forged("has impossible values") }
    }
}

extension RegistryRecords.ColumnRow {
    fileprivate init(_ row: StoredRow) throws(LockstepError) {
        self.init(
            id: try row[1], table: try row[2], name: try row[3], mode: try row[4], padding: try row[5],
            state: try row[6], cursor: try row[7], mac: try row[8], rowKey: try row[9], identity: try row[10])
    }

    fileprivate var values: [Value] {
        [
            .integer(id), .text(table), .text(name), .text(mode), .integer(padding), .text(state),
            cursor.map(Value.integer) ?? .null, .blob(mac), rowKey.map(Value.text) ?? .null,
            identity.map(Value.blob) ?? .null,
        ]
    }
}

extension RegistryRecords.IndexRow {
    fileprivate init(_ row: StoredRow) throws(LockstepError) {
        self.init(
            column: try row[1], number: try row[2], name: try row[3], normaliser: try row[4], bits: try row[5],
            keyVersion: try row[6], commitment: try row[7], mac: try row[8])
    }

    fileprivate var values: [Value] {
        [
            .integer(column), .integer(number), .text(name), .text(normaliser), .integer(bits), .integer(keyVersion),
            .blob(commitment), .blob(mac),
        ]
    }
}
