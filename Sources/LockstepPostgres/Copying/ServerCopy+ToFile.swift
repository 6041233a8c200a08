public import Lockstep

extension ServerCopy {
    /// Copies a schema of a server to a file without tables, in one transaction of the file: whatever ends it before
    /// leaves the file as it was. Blocks.
    /// - Parameters:
    ///   - server: A connection without field keys, outside a transaction. One snapshot of it is copied.
    ///   - file: A database without tables, opened without field keys.
    ///   - progress: Called with the table and the number of its rows that are there.
    /// - Throws: `LockstepError.Code.alreadyExists` for a file that has tables; `LockstepError.Code.misuse` for sets
    ///   that were read for another engine, and for a copy to the server that is not finished;
    ///   `LockstepError.Code.migrationMissing` for a set that was not given; `LockstepError.Code.typeMismatch` for a
    ///   value, column or table that does not cross; `LockstepError.Code.copyDiffers` if the two sides differ at the
    ///   end; the errors of both databases; any error from `progress`.
    public func run(
        from server: borrowing ServerConnection, to file: borrowing Connection, progress: JobProgress.Handler = { _ in }
    ) throws -> Report {
        for set in sets { try set.require(.sqlite) }
        guard !server.isInTransaction else {
            throw LockstepError(
                .misuse, "a copy cannot run inside a transaction",
                hint: "commit or roll back first")
        }
        let schema = try ServerLedger(server).schema
        try server.session.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        defer { server.session.rollBack() }
        try server.refuseHiddenRows()
        guard try CopyState(schema: schema).read(server) == nil else {
            throw CopyState.unfinished(schema, server.address)
        }
        if !fieldKeys.isEmpty {
            var options = ServerOptions()
            options.fieldKeys = fieldKeys
            // Of the same snapshot as the rows.
            _ = try ServerFields(options, server)
        }
        let origin = try ServerIdentity(schema: schema).read(server)
        let registries = try SealedRegistries(on: server, schema: schema)
        let migrations = try migrations(of: try ServerLedger(server).history(server), "\(server.address)")
        let reference = try reference(migrations, registries)
        return try file.with(rights: .engine) {
            try file.write { file in
                try Self.requireEmpty(file)
                // The tables come in the order of their names.
                try file.execute("PRAGMA defer_foreign_keys = ON")
                let schemaSQL = try SchemaScript(reference)
                for sql in schemaSQL.tables { try file.execute(SQL(verbatim: sql)) }
                let plan = try CopyPlan(file, server, schema: schema)
                try plan.requireAll(but: leavingOut, schema, server)
                let tables = try plan.tables.map { table in
                    try copy(table, server, file, progress)
                }
                for sql in schemaSQL.rest { try file.execute(SQL(verbatim: sql)) }
                for name in schemaSQL.textIndexes {
                    try file.execute("INSERT INTO main.\(name: name) (\(name: name)) VALUES ('rebuild')")
                }
                try Ledger.prepare(file)
                for (set, migration) in migrations.flatMap({ set in
                    set.versions.map { (set.set, $0) }
                }) {
                    try Ledger.record(migration, of: set.name, duration: 0, file)
                }
                for records in registries.records { try RegistryTables.write(records, file) }
                try Manifest.store(registries.manifests, in: file)
                let database = try file.makeDatabaseID()
                try observe(.finishing)
                return Report(tables: tables, database: database, origin: origin)
            }
        }
    }

    private func copy(
        _ table: CopyTable, _ server: borrowing ServerConnection, _ file: borrowing Connection,
        _ progress: JobProgress.Handler
    ) throws -> Report.Table {
        let insert = try file.prepare(SQL(verbatim: table.fileInsertion))
        var done = 0
        let expected = try CopyDigest(table, on: server) { values in
            try observe(.sending)
            try insert.bind(values: values)
            try insert.run()
            done += 1
            if done.isMultiple(of: 1024) {
                try JobProgress(copying: table.name, done, of: nil).report(to: progress)
            }
        }
        let found = try CopyDigest(table, in: file) {
            try JobProgress(checking: table.name).report(to: progress)
        }
        guard found == expected else {
            throw LockstepError(
                .copyDiffers,
                "\(table.name) has \(counted(expected.rows, "row")) on the server and \(found.rows) in the file, and they differ",
                hint:
                    "the file stores some values as others: compare the types of the columns on both sides",
                context: .init(table: table.name))
        }
        try table.setLastNumber(in: file, from: server)
        return Report.Table(name: table.name, rows: found.rows, digest: found.digest)
    }

    private static func requireEmpty(_ file: borrowing Connection) throws {
        let tables: Int? = try file.value(
            """
            SELECT count(*) FROM main.sqlite_schema
            WHERE substr(name, 1, 9) <> 'lockstep_' AND substr(tbl_name, 1, 9) <> 'lockstep_'
            """)
        guard tables == 0 else {
            throw LockstepError(
                .alreadyExists, "\(file.path) has tables, and a copy goes to an empty database alone",
                hint: "name another file")
        }
    }

    /// The versions of each set that the server has, and that the file's files know.
    private func migrations(
        of history: MigrationHistory, _ address: String
    ) throws -> [(set: MigrationSet, versions: [Migration])] {
        try targets(of: history, at: address).map { set, version in
            (set, set.migrations.filter { $0.version <= version })
        }
    }

    /// A database in memory with the schema that the file gets.
    private func reference(
        _ migrations: [(set: MigrationSet, versions: [Migration])],
        _ registries: SealedRegistries
    ) throws -> Connection {
        var entries: [LedgerEntry] = []
        for (set, versions) in migrations {
            for migration in versions {
                entries.append(
                    LedgerEntry(
                        set: set.name, version: migration.version, name: migration.name,
                        checksums: migration.checksums, down: nil, appliedAt: 0, duration: 0,
                        toolVersion: LockstepVersion.current,
                        position: Int64(entries.count + 1)))
            }
        }
        let reference = try ReferenceSchema.build(
            MigrationHistory(entries: entries), migrations.map(\.set), ConnectionOptions()
        ) { true }
        try reference.with(rights: .engine) {
            for column in registries.columns {
                guard let shape = try SealedTable(column.table, reference), shape.column(column.name) != nil else {
                    throw LockstepError(
                        .typeMismatch,
                        "the sealed column \(column.title) is not in the file's set",
                        hint: "give the set a file for SQLite that makes the same columns", context: column.context)
                }
                guard !column.isSealed(toAnotherKeyThan: shape.key) else {
                    throw LockstepError(
                        .typeMismatch,
                        "\(column.table) has another primary key in the file, and the cells of \(column.title) are sealed to it",
                        hint: "declare the same key in the set's file for SQLite", context: column.context)
                }
                guard try !column.hasGuards(reference) else { continue }
                let requests = column.indexes.map {
                    SealedIndex.Request($0.normaliser, bits: $0.index.bits)
                }
                try reference.write { reference in
                    try SealingChange(
                        table: shape.name, column: column.name,
                        goal: .protect(mode: column.mode, padding: column.padding, indexes: requests)
                    ).changeShape(reference)
                }
            }
        }
        return reference
    }
}

/// The statements that make a database's schema again: the tables first, and what belongs to them once they have their
/// rows.
private struct SchemaScript {
    let tables: [String]
    let rest: [String]
    /// The full-text indexes over the content of other tables, which are made again from it.
    let textIndexes: [String]

    init(_ connection: borrowing Connection) throws {
        let all = try connection.query(
            """
            SELECT s.sql, l.type IS 'table', s.name FROM main.sqlite_schema AS s
            LEFT JOIN pragma_table_list AS l ON l.schema = 'main' AND l.name = s.name AND s.type = 'table'
            WHERE s.sql IS NOT NULL AND coalesce(l.type, '') <> 'shadow' AND substr(s.name, 1, 7) <> 'sqlite_'
            ORDER BY s.rowid
            """
        ) { (sql: try $0[0] as String, isTable: try $0[1] as Bool, name: try $0[2] as String) }
        tables = all.filter(\.isTable).map(\.sql)
        rest = all.filter { !$0.isTable }.map(\.sql)
        textIndexes = all.filter { TextIndex.isOverOtherContent($0.sql) }.map(\.name)
    }
}

extension SealedRegistries {
    init(on server: borrowing ServerConnection, schema: String) throws {
        let registry = ServerRegistry(schema: schema)
        let records = try registry.marks(server).compactMap {
            try registry.records(of: $0.dataset, server)
        }
        try self.init(records, try ServerManifests(schema: schema).texts(server))
    }
}
