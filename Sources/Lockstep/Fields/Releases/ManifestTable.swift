// The manifests in a database
// ===========================
//
//   lockstep_manifest      one row for each released dataset
//     dataset        its identifier, 16 bytes
//     text           the manifest, as in Manifest.swift

/// Reads and writes the table. Anyone who can open the database can write to it.
enum ManifestTable {
    /// The bytes of a dataset's stored manifest; nil if there is none.
    static func text(
        of dataset: [UInt8], _ connection: borrowing Connection
    ) throws -> [UInt8]? {
        guard try EngineTables.exists(EngineTables.manifests, connection) else { return nil }
        // One byte more than the limit, so that an excessive length is detected.
        return try connection.value(
            """
            SELECT coalesce(substr(CAST(text AS BLOB), 1, ?), x'') FROM main.lockstep_manifest
            WHERE dataset = ? AND text IS NOT NULL
            """, Manifest.largest + 1, dataset, as: [UInt8].self)
    }

    /// The datasets with a stored manifest.
    static func datasets(_ connection: borrowing Connection) throws -> [[UInt8]] {
        guard try EngineTables.exists(EngineTables.manifests, connection) else { return [] }
        return try connection.query(
            """
            SELECT dataset FROM main.lockstep_manifest
            WHERE typeof(dataset) = 'blob' ORDER BY dataset
            """
        ) { row in try row[0] }
    }

    /// Replaces the dataset's manifest in the open transaction.
    static func write(_ manifest: Manifest, _ connection: borrowing Connection) throws {
        try write(manifest.dataset, manifest.text, connection)
    }

    static func write(
        _ dataset: [UInt8], _ text: String, _ connection: borrowing Connection
    ) throws {
        try connection.execute(
            """
            CREATE TABLE IF NOT EXISTS main.lockstep_manifest (
                dataset BLOB PRIMARY KEY NOT NULL,
                text TEXT NOT NULL
            ) WITHOUT ROWID
            """)
        try connection.execute(
            "INSERT OR REPLACE INTO main.lockstep_manifest (dataset, text) VALUES (?, ?)",
            dataset, text)
    }
}

extension Manifest {
    /// Stores the texts of manifests as they are, in the open transaction.
    package static func store(
        _ texts: [(dataset: [UInt8], text: [UInt8])], in connection: borrowing Connection
    ) throws {
        for (dataset, text) in texts {
            try ManifestTable.write(dataset, String(decoding: text, as: UTF8.self), connection)
        }
    }

    /// The texts of the database's manifests, by dataset. Nothing is read in them.
    package static func storedTexts(
        in connection: borrowing Connection
    ) throws -> [(dataset: [UInt8], text: [UInt8])] {
        try connection.with(rights: .engine) {
            try ManifestTable.datasets(connection).compactMap { dataset in
                try ManifestTable.text(of: dataset, connection).map { (dataset, $0) }
            }
        }
    }

    /// The database's manifests by dataset, as stored. Their signatures were not verified.
    /// - Throws: ``LockstepError/Code/manifestMalformed``.
    public static func stored(in connection: borrowing Connection) throws -> [Manifest] {
        try connection.read { connection in
            try ManifestTable.datasets(connection).compactMap { dataset in
                try ManifestTable.text(of: dataset, connection).map { try ManifestParser.parse($0) }
            }
        }
    }
}
