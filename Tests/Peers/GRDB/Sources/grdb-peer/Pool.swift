import GRDB

extension DatabasePool {
    /// A pool with the compared settings, and GRDB's own for everything else.
    static func peer(_ options: Options) throws -> DatabasePool {
        var configuration = Configuration()
        let cache = options.cacheBytes / 1024
        let synchronous = options.isFull ? "FULL" : "NORMAL"
        configuration.prepareDatabase { db in
            try db.execute(sql: "PRAGMA cache_size = -\(cache)")
            try db.execute(sql: "PRAGMA synchronous = \(synchronous)")
        }
        let pool = try DatabasePool(path: options.path, configuration: configuration)
        if options.isFull {
            // The pool sets its writer to NORMAL after preparing it.
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA synchronous = FULL")
            }
        }
        return pool
    }

    /// The same with the empty table.
    static func empty(_ options: Options) throws -> DatabasePool {
        let pool = try peer(options)
        try pool.write { db in
            try db.execute(
                sql: """
                    CREATE TABLE record (id INTEGER PRIMARY KEY, a INTEGER NOT NULL,
                        b INTEGER NOT NULL, c INTEGER NOT NULL, d INTEGER NOT NULL,
                        ratio REAL NOT NULL, first TEXT NOT NULL, second TEXT NOT NULL,
                        bytes BLOB NOT NULL)
                    """)
        }
        return pool
    }

    /// What a second read finds in the table.
    static func reread(_ options: Options) throws -> RowHash {
        let pool = try peer(options)
        let hash = try pool.read { db in
            var hash = RowHash()
            let rows = try IndexRecord.fetchCursor(db, sql: IndexRecord.selection + " ORDER BY id")
            while let record = try rows.next() { hash.add(record) }
            return hash
        }
        try pool.close()
        return hash
    }
}
