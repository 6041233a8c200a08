// The manifests that a database carries
// =====================================
//
//   lockstep_manifest      one row for each dataset that was released
//     dataset        its identifier, 16 bytes
//     text           the manifest, as in Manifest.swift

/// Reads and writes the table. What stands in it, anybody may have written who can open the database.
enum ManifestTable {
    /// The bytes of the manifest that stands there for a dataset; nil if none does.
    static func text(
        of dataset: [UInt8], _ connection: borrowing Connection
    ) throws -> [UInt8]? {
        guard try EngineTables.exists(EngineTables.manifests, connection) else { return nil }
        // More than it may have, so that what is too long shows.
        return try connection.value(
            """
            SELECT coalesce(substr(CAST(text AS BLOB), 1, ?), x'') FROM main.lockstep_manifest
            WHERE dataset = ? AND text IS NOT NULL
            """, Manifest.largest + 1, dataset, as: [UInt8].self)
    }

    /// The datasets for which a manifest stands there.
    static func datasets(_ connection: borrowing Connection) throws -> [[UInt8]] {
        guard try EngineTables.exists(EngineTables.manifests, connection) else { return [] }
        return try connection.query(
            """
            SELECT dataset FROM main.lockstep_manifest
            WHERE typeof(dataset) = 'blob' ORDER BY dataset
            """
        ) { row in try row[0] }
    }

    /// Puts a manifest in the place of the one before, in the transaction that is open.
    static func write(_ manifest: Manifest, _ connection: borrowing Connection) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS main.lockstep_manifest (
                dataset BLOB PRIMARY KEY NOT NULL,
                text TEXT NOT NULL
            ) WITHOUT ROWID
            """)
        try connection.execute(
            "INSERT OR REPLACE INTO main.lockstep_manifest (dataset, text) VALUES (?, ?)",
            manifest.dataset, manifest.text)
    }
}

extension Manifest {
    /// The manifests that the database carries, by dataset, as they stand there: none of them was checked.
    /// - Throws: ``LockstepError/Code/manifestMalformed``.
    public static func stored(in connection: borrowing Connection) throws -> [Manifest] {
        try connection.read { connection in
            try ManifestTable.datasets(connection).compactMap { dataset in
                try ManifestTable.text(of: dataset, connection).map { try ManifestParser.parse($0) }
            }
        }
    }
}
