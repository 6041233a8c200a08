/// A definition in the database's schema, with the digest that Manifest.swift defines.
///
/// The digest covers the SQL as stored in the file. VACUUM, ANALYZE, REINDEX and copies do not change it, and a reader
/// can compute the same digest without parsing SQL.
package struct ManifestDefinition {
    let name: String
    /// The table of an index; nil for anything else.
    let indexed: SQLName?
    let digest: [UInt8]

    /// The definitions that manifests cover, in no order.
    static func all(_ connection: borrowing Connection) throws -> [ManifestDefinition] {
        try connection.query(
            """
            SELECT type, name, tbl_name, sql FROM main.sqlite_schema
            WHERE NOT (type = 'index' AND (sql IS NULL OR lower(substr(tbl_name, 1, 9)) = 'lockstep_'))
                AND NOT (type = 'table' AND (lower(substr(name, 1, 9)) = 'lockstep_' OR name IN
                    ('sqlite_sequence', 'sqlite_stat1', 'sqlite_stat2', 'sqlite_stat3', 'sqlite_stat4')))
            """
        ) { row in
            var digest = try StoredValueDigest()
            for column in 0..<4 { try digest.add(row, column) }
            let isIndex = try row[0] as String == "index"
            return ManifestDefinition(
                name: try row[1], indexed: isIndex ? try row[2] as SQLName : nil, digest: try digest.finish())
        }
    }

    func isIndex(of table: String) -> Bool { indexed == SQLName(table) }
}

/// The number and the digest of all definitions that are not indexes of a manifest's tables.
struct ManifestSchema: Sendable, Hashable {
    let count: UInt64
    let digest: [UInt8]

    init(count: UInt64, digest: [UInt8]) {
        self.count = count
        self.digest = digest
    }

    init(
        _ definitions: [ManifestDefinition], tables: [String]
    ) throws(LockstepError) {
        let others = definitions.filter { definition in
            !tables.contains { definition.isIndex(of: $0) }
        }
        count = UInt64(others.count)
        digest = try RowHash.digest(others.map { RowHash($0.digest) })
    }
}
