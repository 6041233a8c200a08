/// Reads and writes a database's blind indexes: the table `lockstep_index` of ``RegistryTables``.
enum RegistryIndexes {
    /// Adds the indexes to their columns and returns their MACs in the same order.
    /// - Throws: ``LockstepError/Code/registryForged``, ``LockstepError/Code/keyringMismatch``.
    static func read(
        into columns: inout [SealedColumn], _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws -> [[UInt8]] {
        let rows = try rows(of: keys.dataset, columns, connection)
        for row in rows {
            let version = row.index.index.keyVersion
            if let own = keys.indexCommitment(version), own != row.commitment {
                throw LockstepError(
                    .keyringMismatch,
                    "the keyring's index key \(version) differs from the one in the database's registry",
                    hint:
                        "use this dataset's fields keyring; if you did, somebody tampered with the database"
                )
            }
            columns[row.place].indexes.append(row.index)
        }
        return rows.map(\.mac)
    }

    /// Adds the indexes to their columns as the table claims, without keys and without proof.
    static func claim(
        into columns: inout [SealedColumn], of dataset: [UInt8], _ connection: borrowing Connection
    ) throws {
        for row in try rows(of: dataset, columns, connection) {
            columns[row.place].indexes.append(row.index)
        }
    }

    private typealias Row = (place: Int, index: SealedIndex, commitment: [UInt8], mac: [UInt8])

    private static func rows(
        of dataset: [UInt8], _ columns: [SealedColumn], _ connection: borrowing Connection
    ) throws -> [Row] {
        guard try EngineTables.exists(EngineTables.indexes, connection) else { return [] }
        return try connection.query(
            """
            SELECT column_id, number, name, normaliser, bits, key_version, commitment, mac
            FROM main.lockstep_index WHERE dataset = ? ORDER BY column_id, number
            """, dataset
        ) { row in
            let id: Int64 = try row[0]
            guard let place = columns.firstIndex(where: { Int64($0.id) == id }) else {
                throw RegistryTables.forged("has impossible values")
            }
            return (
                place,
                try index(
                    of: columns[place], number: row[1], name: row[2], normaliser: row[3],
                    bits: row[4], keyVersion: row[5]),
                try row[6], try row[7]
            )
        }
    }

    /// A row with impossible values was not written by the engine.
    private static func index(
        of column: SealedColumn, number: Int64, name: String, normaliser: String, bits: Int,
        keyVersion: Int64
    ) throws(LockstepError) -> SealedIndex {
        guard let number = UInt32(exactly: number), let version = UInt32(exactly: keyVersion)
        else { throw RegistryTables.forged("has impossible values") }
        do {
            let index = try BlindIndex(
                column: column.id, identity: column.indexIdentity, number: number,
                [Normaliser(normaliser)], bits: bits, keyVersion: version)
            return SealedIndex(index: index, name: name)
        } catch {
            throw RegistryTables.forged("has impossible values: \(error.message)")
        }
    }

    static func write(
        _ registry: ColumnRegistry, _ codes: [[UInt8]], _ keys: FieldKeys,
        _ connection: borrowing Connection
    ) throws {
        try connection.execute(
            "DELETE FROM main.lockstep_index WHERE dataset = ?", registry.dataset)
        let insert = try connection.prepare(
            """
            INSERT INTO main.lockstep_index
                (dataset, column_id, number, name, normaliser, bits, key_version, commitment, mac)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        for (one, mac) in zip(registry.columns.flatMap(\.indexes), codes) {
            try insert.run(
                registry.dataset, Int64(one.index.column), Int64(one.index.number), one.name,
                one.normaliser.spelling, one.index.bits, Int64(one.index.keyVersion),
                keys.indexCommitment(one.index.keyVersion), mac)
        }
    }

    static func prepare(_ connection: borrowing Connection) throws {
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
    }
}
