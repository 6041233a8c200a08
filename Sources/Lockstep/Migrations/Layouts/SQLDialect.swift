// Programs that run on several databases keep files for each of them: `0002_users.sqlite.up.sql` beside
// `0002_users.postgres.up.sql`, and `0001_init.sql` or `0001_init.all.sql` for those that all can run. The word stands
// between two dots, at the end or before the direction. Of the files that differ only in that word, the one for the
// engine counts, else the one for all; those of other databases are ignored and reported. Lockstep's own layout has
// rules of its own: `EngineVariants`.
enum SQLDialect {
    private static let ofSQLite: Set<String> = ["sqlite", "sqlite3"]
    private static let ofPostgres: Set<String> = ["postgres", "postgresql", "pgsql", "pg"]
    private static let ofOthers: Set<String> = [
        "mysql", "mariadb", "mssql", "sqlserver", "oracle",
        "cockroach", "cockroachdb", "crdb", "clickhouse", "duckdb", "h2", "db2", "redshift",
        "snowflake", "spanner", "tidb", "yugabyte",
    ]

    /// A name without its dialect, and the dialect.
    private struct Name {
        let plain: String
        let dialect: String

        /// Nil for a name without a dialect.
        init?(_ name: Substring) {
            guard MigrationSource.isSQL(name) else { return nil }
            var words = name.pieces(between: ".")
            var index = words.count - 2
            if index > 0, LooseName.Direction(words[index]) != nil { index -= 1 }
            guard index > 0 else { return nil }
            let word = String(words[index]).asciiLowercased
            let known = [ofSQLite, ofPostgres, ofOthers]
            guard word == "all" || known.contains(where: { $0.contains(word) }) else { return nil }
            dialect = word
            words.remove(at: index)
            plain = words.joined(separator: ".")
        }
    }

    fileprivate static let otherDialect = "says that the migrations are for"

    /// Requires that a tool's settings are for the engine that reads them.
    /// - Throws: ``LockstepError/Code/migrationMalformed``.
    static func require(
        _ dialect: String, in settings: MigrationSource
    ) throws(LockstepError) {
        guard !own(settings.engine).contains(dialect) else { return }
        throw settings.malformed(
            "\(Self.otherDialect) \(dialect)",
            hint:
                "only migrations for \(settings.engine.title) run here: check that this is the right folder"
        )
    }

    // exact: words of the source
    private static func own(_ engine: DatabaseEngine) -> Set<String> {
        switch engine {
        case .sqlite: ofSQLite
        case .postgres: ofPostgres
        }
    }

    /// The sources that count for an engine, named without their dialect, and the paths of the others. Where no file is
    /// for a database of its own, every source counts as it is.
    static func select(
        _ sources: [MigrationSource], for engine: DatabaseEngine
    ) -> (sources: [MigrationSource], ignored: [String]) {
        let names = sources.map { Name($0.name) }
        // A tool with a list of its files knows of no others.
        guard names.contains(where: { $0 != nil && $0?.dialect != "all" }),
            !sources.contains(where: { MigrationLayout.isSettings($0.name) })
        else { return (sources, []) }
        func key(_ source: MigrationSource, _ name: Name?) -> ExactText {
            ExactText((source.folder.map { "\($0)/" } ?? "") + (name?.plain ?? String(source.name)))
        }
        var best: [ExactText: Int] = [:]
        for (source, name) in zip(sources, names) {
            let key = key(source, name)
            best[key] = max(best[key] ?? 0, rank(name, engine))
        }
        var kept: [MigrationSource] = []
        var ignored: [String] = []
        for (source, name) in zip(sources, names) {
            let rank = rank(name, engine)
            guard rank > 0, rank == best[key(source, name)] else {
                ignored.append(source.path)
                continue
            }
            kept.append(name.map { source.named($0.plain) } ?? source)
        }
        return (kept, ignored)
    }

    private static func rank(_ name: Name?, _ engine: DatabaseEngine) -> Int {
        guard let dialect = name?.dialect else { return 1 }
        return own(engine).contains(dialect) ? 3 : dialect == "all" ? 2 : 0
    }
}

extension LockstepError {
    /// Whether a folder's own settings say that it is for another engine than the one that read it.
    package var isOfOtherDialect: Bool {
        code == .migrationMalformed && message.contains(SQLDialect.otherDialect)
    }
}
