internal import Lockstep

/// The schema equals the one that a fresh run of the same migrations makes, object by object, as the server prints
/// them.
///
/// The fresh run goes to a schema of its own in a transaction that is rolled back, and waits for no lock.
enum ServerDriftCheck {
    private static let scratch = "lockstep_fresh"

    static func run(
        _ sets: [MigrationSet]?, _ schema: String, _ connection: borrowing ServerConnection
    ) throws -> CheckResult {
        guard let sets else {
            throw NotAsked(reason: "no migrations were given to compare the schema with")
        }
        let scripts = try scripts(sets, connection)
        let shared = try extensionSchemas(beside: schema, connection)
        try FreshRunScope(sharing: shared, connection).require(scripts)
        let path: String? = try connection.value(
            "SELECT pg_catalog.current_setting('search_path')")
        try setPath(SQLTokens.quote(schema), connection)
        let found = try ServerSnapshot(of: schema, connection)
        try setPath(path ?? "", connection)
        let columns = try SealedRegistries(on: connection, schema: schema).columns
        try makeScratch(connection)
        try connection.execute("SELECT pg_catalog.set_config('lock_timeout', '1s', true)")
        try setPath(
            ([scratch] + shared).map(SQLTokens.quote).joined(separator: ", "), connection)
        for script in scripts { try replay(script, connection) }
        for column in columns { try column.shape(in: scratch, connection) }
        try setPath(SQLTokens.quote(scratch), connection)
        let fresh = try ServerSnapshot(of: scratch, connection)
        return (
            "\(counted(found.definitions.count, "object")) compared with a fresh run; not \(ServerSnapshot.leftOut)",
            found.differences(from: fresh, beside: sets.map { ToolLedger($0) }).map {
                .failure("\($0.object.type) \($0.object.name) is \($0.change)")
            }
        )
    }

    private static func makeScratch(_ connection: borrowing ServerConnection) throws {
        do throws(LockstepError) {
            try connection.execute("CREATE SCHEMA \(name: scratch)")
        } catch {
            guard error.context.sqlState == "42501" else { throw error }
            throw LockstepError(
                .notCompared,
                "the role cannot make a schema for a fresh run: it needs CREATE on the database"
            )
        }
    }

    /// The schemas with the functions and types of extensions, which a fresh run finds there.
    private static func extensionSchemas(
        beside schema: String, _ connection: borrowing ServerConnection
    ) throws -> [String] {
        let schemas = try connection.query(
            """
            SELECT DISTINCT n.nspname::text FROM pg_catalog.pg_extension AS e
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) e.extnamespace
            WHERE n.nspname OPERATOR(pg_catalog.<>) 'pg_catalog' ORDER BY 1
            """
        ) { try $0[0] as String }
        guard !schemas.containsBytes(of: schema) else {
            throw LockstepError(
                .notCompared,
                "the schema \(schema) has an extension, which a fresh run cannot make a second time"
            )
        }
        return schemas
    }

    private static func setPath(
        _ path: String, _ connection: borrowing ServerConnection
    ) throws {
        try connection.execute("SELECT pg_catalog.set_config('search_path', \(path), true)")
    }

    private static func scripts(
        _ sets: [MigrationSet], _ connection: borrowing ServerConnection
    ) throws -> [ServerScript] {
        let known = Dictionary(sets.map { ($0.name, $0) }) { first, _ in first }
        let history = try ServerLedger(connection).history(connection)
        var scripts = try history.entries.map { entry in
            guard let set = known[entry.set],
                let migration = set.applicable(to: []).migrations.first(where: {
                    $0.version == entry.version
                }), case .file(let file) = migration
            else {
                throw LockstepError(
                    .migrationMissing, "the file of \(entry.set) \(entry.version) is gone",
                    context: .init(set: entry.set, version: entry.version.description))
            }
            return try ServerScript(file.up, migration.origin(in: set.name))
        }
        for repeated in history.repeated {
            guard let set = known[repeated.set],
                let file = set.repeatables.first(where: { $0.name.hasSameBytes(as: repeated.name) })
            else {
                throw LockstepError(
                    .migrationMissing, "the file of the repeatable migration \(repeated.name) is gone",
                    context: .init(set: repeated.set))
            }
            scripts.append(
                try ServerScript(file.up, Migration.file(file).origin(in: set.name)))
        }
        return scripts
    }

    private static func withoutConcurrently(_ sql: String) -> String {
        let bytes = Array(sql.utf8)
        let word = SQLTokens(bytes, from: 0, .postgres).first { token in
            token.kind == .word
                && String(decoding: bytes[token.range], as: UTF8.self).asciiLowercased.hasSameBytes(as: "concurrently")
        }
        guard let word else { return sql }
        return String(decoding: bytes[..<word.range.lowerBound] + bytes[word.range.upperBound...], as: UTF8.self)
    }

    private static func replay(
        _ script: ServerScript, _ connection: borrowing ServerConnection
    ) throws {
        let actions = ServerActions(script, scratch, isOfShape: true)
        for (place, statement) in script.statements.enumerated() {
            try actions.run(before: place, connection)
            switch statement.outside {
            // They change nothing that is compared.
            case .vacuum, .reindex: continue
            case .createIndex, .dropIndex:
                // The same index, in the transaction that is rolled back.
                try connection.execute(ServerSQL(verbatim: Self.withoutConcurrently(statement.sql)))
            case nil: try connection.execute(ServerSQL(verbatim: statement.sql))
            }
        }
        try actions.run(before: script.statements.count, connection)
    }
}
