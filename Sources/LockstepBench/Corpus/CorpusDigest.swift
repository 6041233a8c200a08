import Lockstep

/// The expected content of a database once all migrations have run: its schema, and how many rows each table has.
enum CorpusDigest {
    /// The tables of other tools' own records, by the beginnings of their names.
    private static let books = ["sqlite_", "lockstep_", "gorp_migrations", "_yoyo_", "yoyo_lock", "alembic_version"]

    /// Every object by type and name: type, name, table and SQL, each terminated by a zero byte, without the white
    /// space and double quotes that a rename adds. Then every table's number of rows, by its name.
    static func add(_ db: borrowing Connection, to hash: inout RowHash) throws {
        for table in try addSchema(db, to: &hash) {
            let quoted = "\"\(table)\""
            hash.add(try db.value("SELECT count(*) FROM \(verbatim: quoted)", as: Int64.self) ?? 0)
        }
    }

    /// The part about the schema; returns the names of the tables.
    @discardableResult
    static func addSchema(
        _ db: borrowing Connection, to hash: inout RowHash
    ) throws -> [String] {
        let objects = try db.query(
            "SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name",
            as: (String, String, String, String).self
        ).filter { !isBook($0.2) }
        for (type, name, table, sql) in objects {
            let plain = sql.utf8.filter { ![0x09, 0x0A, 0x0D, 0x20, 0x22].contains($0) }
            for part in [Array(type.utf8), Array(name.utf8), Array(table.utf8), plain] {
                hash.add(part + [0])
            }
        }
        return objects.filter { $0.0 == "table" }.map { $0.1 }
    }

    /// The expected digest of this many databases, computed by running the statements in memory.
    static func expected(_ migrations: [CorpusMigration], times: Int = 1) throws -> String {
        let db = try Connection.inMemory()
        try db.execute("PRAGMA foreign_keys = OFF")
        for migration in migrations {
            try db.write { db in
                for statement in migration.statements { try db.run(script: statement) }
            }
        }
        var hash = RowHash()
        for _ in 0..<times { try add(db, to: &hash) }
        return hash.hex
    }

    private static func isBook(_ name: String) -> Bool {
        books.contains { name.hasPrefix($0) }
    }
}
