public import Lockstep

/// Copies a database from a file to a server, or back, with its sealed columns as they are: cells, tokens and registry
/// go over byte for byte, so that no field key is needed, and the server never sees one.
///
/// The schema comes from the migration set, never from the source. Rows go in chunks, each in a transaction that
/// records how far it came: a copy that was interrupted goes on there. At the end the rows of both sides are read back
/// and compared; only then does the target say what is sealed in it.
public struct ServerCopy: Sendable {
    /// The sets of the source, read for `DatabaseEngine.postgres`.
    let sets: [MigrationSet]
    /// Columns that may hold plaintext on the server, as `table.column` or `table.*`, besides those that the sets name.
    public var plaintext: [String] = []
    /// Tables of the server that the sets do not make, and whose rows stay there in a copy to a file. Any other is an
    /// error.
    public var leavingOut: [String] = []
    /// The keys of the datasets that a copy to a file must prove: a server that a connection with them refuses, as one in
    /// an older state, is refused.
    public var fieldKeys: [FieldKeys] = []
    /// How many bytes of rows one transaction takes. The copy's memory does not depend on it. Only the transaction that
    /// ends the copy waits for the server's disk.
    public var chunk = 8 << 20
    /// Called before each step, such as a commit of rows: for tests that end there.
    package var observe: @Sendable (Step) throws -> Void = { _ in }

    /// What a copy does next.
    package enum Step: Sendable {
        case beginning, migrating, emptying, sending, recording, committing, comparing,
            finishing
    }

    /// A copy of a database whose migrations are those of `sets`. Nothing runs yet.
    public init(_ sets: [MigrationSet]) { self.sets = sets }

    /// The result of a copy.
    public struct Report: Sendable, Hashable {
        /// A table that was copied.
        public struct Table: Sendable, Hashable {
            /// Its name.
            public let name: String
            /// How many rows it has.
            public let rows: Int
            /// SHA-256 over its rows in the canonical form of manifests, in the key's order, as both sides have them.
            public let digest: [UInt8]
        }

        /// The tables, in the order in which they were copied.
        public let tables: [Table]
        /// The identity that the copy has, 16 bytes.
        public let database: [UInt8]
        /// That of its source; nil if it has none.
        public let origin: [UInt8]?
    }

    /// Copies a file to a schema of a server that has no tables, or goes on with such a copy. Blocks.
    /// - Parameters:
    ///   - file: The database, opened without field keys. One snapshot of it is copied.
    ///   - server: A connection without field keys, outside a transaction.
    ///   - progress: Called with the table and the number of its rows that are there.
    /// - Throws: `LockstepError.Code.alreadyExists` for a schema that has tables; `LockstepError.Code.migrationMissing`
    ///   for a set that was not given; `LockstepError.Code.typeMismatch` for a value, column or table that does not
    ///   cross, before any row is copied; `LockstepError.Code.exposed` with all columns that would become plaintext;
    ///   `LockstepError.Code.registryForged` for a registry that an earlier build wrote or that is being changed;
    ///   `LockstepError.Code.copyDiffers` if the two sides differ at the end; `LockstepError.Code.busy` if another copy
    ///   goes to the same schema; the errors of ``ServerMigrator`` and of both databases; any error from `progress`.
    public func run(
        from file: borrowing Connection, to server: borrowing ServerConnection,
        progress: @escaping JobProgress.Handler = { _ in }
    ) throws -> Report {
        let ledger = try ServerLedger(server)
        return try file.read { file in
            let origin = try file.databaseID()
            let registries = try SealedRegistries(in: file)
            let history = try Ledger.history(file)
            let targets = try targets(of: history, at: "\(file.path)")
            try TextIndex.requireNoContent(in: file)
            let state = CopyState(schema: ledger.schema)
            try observe(.beginning)
            let isEmptied = try state.begin(origin ?? [], server)
            if !isEmptied {
                for (set, version) in targets {
                    try observe(.migrating)
                    _ = try ServerMigrator(forShapeOf: set).run(.version(version), on: server)
                }
                try prepare(registries, state, server)
            }
            try requireReached(targets, ledger, server)
            let plan = try CopyPlan(file, server, schema: ledger.schema)
            // Whatever the server says of a copy that was begun.
            let unnamed = Exposure.unnamed(plan.tables, registries.columns, by: try declared())
            if let error = Exposure.error(unnamed) { throw error }
            var expected: [ExactText: CopyDigest] = [:]
            for table in plan.tables {
                expected[ExactText(table.name)] = try CopyDigest(table, in: file) {
                    try JobProgress(checking: table.name).report(to: progress)
                }
            }
            let recorded = try state.read(server) ?? [:]
            let sender = RowSender(
                state: state, chunk: max(chunk, 1),
                progress: { table, rows in
                    try JobProgress(copying: table, rows, of: expected[ExactText(table)]?.rows)
                        .report(
                            to: progress)
                }, observe: observe)
            for group in plan.groups {
                try sender.send(group, from: file, to: server, recorded)
            }
            let tables = try plan.tables.map { table in
                let wanted = expected[ExactText(table.name)]
                try observe(.comparing)
                let found = try CopyDigest(table, on: server)
                guard found == wanted else {
                    throw try Self.difference(
                        table, file, server, found.rows, wanted?.rows ?? 0)
                }
                return Report.Table(name: table.name, rows: found.rows, digest: found.digest)
            }
            let database = try finish(plan, registries, file, state, server)
            return Report(tables: tables, database: database, origin: origin)
        }
    }

    /// Requires that the server has the versions of the file: it can have been migrated since the copy began.
    private func requireReached(
        _ targets: [(set: MigrationSet, version: MigrationVersion)], _ ledger: ServerLedger,
        _ server: borrowing ServerConnection
    ) throws {
        let entries = try ledger.history(server).entries
        for (set, version) in targets {
            let newest = entries.filter { $0.set == set.name }.map(\.version).max()
            guard newest != version else { continue }
            throw LockstepError(
                .copyDiffers,
                "the file has \(set.name) \(version), and \(newest.map { "\($0)" } ?? "none") was copied to the server",
                hint:
                    "the file was migrated since the copy began: drop the schema, and copy again",
                context: .init(set: set.name))
        }
    }

    /// The newest version of each set that the file has, and that the server's files know.
    func targets(
        of history: MigrationHistory, at path: String
    ) throws -> [(set: MigrationSet, version: MigrationVersion)] {
        guard !history.entries.isEmpty else {
            throw LockstepError(
                .misuse, "\(path) has no record of migrations, from which the server's schema would be made",
                advice: "record what its schema is first: \(.recordVersion)")
        }
        if let unfinished = history.unfinished.first {
            throw LockstepError(
                .migrationUnfinished,
                "\(unfinished.set) \(unfinished.version) has begun in \(path) and is not finished",
                advice: "finish it first: \(.migrate)", context: .init(set: unfinished.set))
        }
        var names: [String] = []
        for entry in history.entries where !names.contains(entry.set) {
            names.append(entry.set)
        }
        return try names.compactMap { name in
            guard let set = sets.first(where: { $0.name == name }) else {
                throw LockstepError(
                    .migrationMissing, "the files of the set \(name) are needed for the server's schema",
                    hint: "name the folder that contains it", context: .init(set: name))
            }
            let newest = history.entries.filter { $0.set == name }.map(\.version).max()
            let known = set.migrations.map(\.version).filter { $0 <= newest ?? $0 }.max()
            return known.map { (set, $0) }
        }
    }

    /// Gives sealed columns their shape, names what may be plaintext, and empties what the migrations filled.
    private func prepare(
        _ registries: SealedRegistries, _ state: CopyState,
        _ server: borrowing ServerConnection
    ) throws {
        try server.transaction { server in
            let tables = try server.query(
                """
                SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) FROM pg_catalog.pg_class AS c
                JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
                WHERE n.nspname OPERATOR(pg_catalog.=) \(state.schema)::name
                    AND c.relkind OPERATOR(pg_catalog.=) ANY ('{r,p}'::"char"[])
                    AND NOT pg_catalog.starts_with(c.relname::text, \(EngineTable.prefix))
                """
            ) { try $0[0] as String }
            if !tables.isEmpty {
                try server.execute("TRUNCATE \(verbatim: tables.joined(separator: ", ")) RESTART IDENTITY")
            }
            for column in registries.columns {
                try column.shape(in: state.schema, server)
            }
            let exposure = Exposure(schema: state.schema)
            for title in plaintext {
                let (table, name) = try Self.parts(of: title)
                try exposure.allow(table, name, server)
            }
            try exposure.require(server, by: .sets(declared()), arriving: registries.columns)
            try state.setEmptied(server)
            try observe(.emptying)
        }
    }

    /// The columns that the sets and the options name.
    private func declared() throws(LockstepError) -> Set<Exposure.Column> {
        var declared = Exposure.declared(in: sets)
        for title in plaintext {
            let (table, name) = try Self.parts(of: title)
            declared.insert(Exposure.Column(table: table, name: name ?? Exposure.all).folded)
        }
        return declared
    }

    private static func parts(
        of title: String
    ) throws(LockstepError) -> (table: String, column: String?) {
        guard case .plaintext(let table, let column)? = Directive("plaintext \(title)") else {
            throw LockstepError(.misuse, "\(title) names no column", hint: "write TABLE.COLUMN, or TABLE.*")
        }
        return (table, column)
    }

    /// Writes what the copy is, in one transaction: it counts from then on.
    private func finish(
        _ plan: CopyPlan, _ registries: SealedRegistries, _ file: borrowing Connection,
        _ state: CopyState, _ server: borrowing ServerConnection
    ) throws -> [UInt8] {
        try server.transaction { server in
            for table in plan.tables { try Self.setSequences(table, file, server) }
            let registry = ServerRegistry(schema: state.schema)
            for records in registries.records { try registry.write(records, server) }
            try ServerManifests(schema: state.schema).write(registries.manifests, server)
            let database = try ServerIdentity(schema: state.schema).make(server)
            try state.end(server)
            try observe(.finishing)
            return database
        }
    }

    /// New rows get numbers after the largest key, also after those of rows that are gone where AUTOINCREMENT has counted
    /// them.
    private static func setSequences(
        _ table: CopyTable, _ file: borrowing Connection, _ server: borrowing ServerConnection
    ) throws {
        let counted = try table.lastNumber(in: file)
        for column in table.columns {
            guard let sequence = table.server.detail(column.serverName)?.sequence else {
                continue
            }
            let largest: Int64? = try server.value(
                "SELECT pg_catalog.max(\(name: column.serverName)) FROM \(verbatim: table.server.quotedName)")
            let isKey =
                table.key.count == 1 && table.columns[table.key[0]].serverName.hasSameBytes(as: column.serverName)
            let last = max(largest ?? 0, isKey ? counted ?? 0 : 0)
            guard last > 0 else { continue }
            try server.execute("SELECT pg_catalog.setval(\(sequence)::regclass, \(last)::int8)")
        }
    }

    /// The error for two sides that differ, with the first key that does.
    private static func difference(
        _ table: CopyTable, _ file: borrowing Connection, _ server: borrowing ServerConnection,
        _ found: Int, _ wanted: Int
    ) throws -> LockstepError {
        var hashes: [[UInt8]] = []
        _ = try CopyDigest(table, on: server) { values in
            var digest = try StoredValueDigest()
            for value in values { try digest.add(value) }
            hashes.append(try digest.finish())
        }
        var place: String?
        var number = 0
        try file.prepare(SQL(verbatim: table.fileSelection())).forEach { row in
            defer { number += 1 }
            guard place == nil, !table.key.isEmpty else { return }
            var digest = try StoredValueDigest()
            for (place, column) in table.columns.enumerated() {
                try column.crossing.add(row.stored(place), to: &digest)
            }
            let own = try digest.finish()
            guard number >= hashes.count || hashes[number] != own else { return }
            guard table.key.count == 1, case .integer(let key) = try row[table.key[0]] as Value else {
                place = "row \(number + 1) by the key"
                return
            }
            place = "the row \(key)"
        }
        return LockstepError(
            .copyDiffers,
            "\(table.name) has \(counted(wanted, "row")) in the file and \(found) on the server"
                + (place.map { "; \($0) is the first that differs" } ?? ""),
            hint: "somebody wrote to one of them meanwhile: drop the schema, and copy again",
            context: .init(table: table.name))
    }
}

extension JobProgress {
    init(checking table: String) { self.init(Phase("checking", of: table)) }

    init(copying table: String, _ rows: Int, of total: Int?) {
        self.init(Phase("copying", of: table), rows, of: total.map { max($0, rows) }, .rows)
    }
}
