/// The table in which another tool records the versions that it has run, as that tool makes it in files and on servers.
package struct ToolLedger: Sendable {
    /// What a row says of its version.
    package enum State: String, Sendable {
        case done, begun, undone
        /// This version, and all before it.
        case newest
        /// The same; the version need have no file.
        case baseline
    }

    /// The tool, as its users write it.
    package let tool: String
    package let table: String
    /// Four texts for each row: the version or NULL, the name or NULL, the SHA-256 of the file in hexadecimal digits or NULL,
    /// and a ``State``.
    private let columns: String
    /// What follows the table.
    private let rest: String
    /// The tables, indexes and sequences of the tool that are no difference beside the set.
    private let own: Set<SQLName>

    private init(
        _ tool: String, _ table: String, _ columns: String, _ rest: String = "", others: Set<SQLName> = [],
        isOfSet: Bool = true
    ) {
        (self.tool, self.table, self.columns, self.rest) = (tool, table, columns, rest)
        own = isOfSet ? others.union([SQLName(table)]) : []
    }

    /// The table of the tool that a set's layout belongs to. Alembic's versions are programs: its table goes with any other
    /// layout, for a folder whose files have Alembic's identifiers in their names, which mostly are 12 digits.
    package init(_ set: MigrationSet) {
        func state(_ condition: String, _ other: State = .begun) -> String {
            "CASE WHEN \(condition) THEN 'done' ELSE '\(other.rawValue)' END"
        }
        func version(_ column: String, _ name: String = "NULL") -> String { "CAST(\(column) AS text), \(name), NULL" }
        switch set.layout {
        case .prisma:
            self.init(
                "Prisma", "_prisma_migrations",
                "NULL, CAST(migration_name AS text), CAST(checksum AS text), \(state("finished_at IS NOT NULL"))",
                "WHERE rolled_back_at IS NULL ORDER BY started_at")
        case .flyway:
            self.init(
                "Flyway", "flyway_schema_history",
                """
                \(version("version", "script")), CASE WHEN type IN ('UNDO_SQL', 'DELETE') THEN 'undone' \
                WHEN NOT success THEN 'begun' WHEN type = 'BASELINE' THEN 'baseline' ELSE 'done' END
                """, "WHERE version IS NOT NULL ORDER BY installed_rank", others: ["flyway_schema_history_s_idx"])
        case .golangMigrate:
            self.init(
                "golang-migrate", "schema_migrations",
                "\(version("version")), CASE WHEN dirty THEN 'begun' ELSE 'newest' END",
                others: ["version_unique"])
        case .dbmate: self.init("dbmate", "schema_migrations", "\(version("version")), 'done'", "ORDER BY version")
        case .diesel:
            self.init("diesel", "__diesel_schema_migrations", "\(version("version")), 'done'", "ORDER BY version")
        case .sqlx:
            self.init(
                "sqlx", "_sqlx_migrations", "\(version("version", "description")), \(state("success"))",
                "ORDER BY version")
        case .goose:
            self.init(
                "goose", "goose_db_version", "\(version("version_id")), \(state("is_applied", .undone))",
                "WHERE version_id > 0 ORDER BY id", others: ["goose_db_version_id_seq"])
        case .refinery:
            self.init(
                "refinery", "refinery_schema_history", "\(version("version", "name")), 'done'", "ORDER BY version")
        default:
            let words = set.files.flatMap(Self.words)
            self.init(
                "Alembic", "alembic_version", "NULL, version_num, NULL, 'newest'",
                isOfSet: words.contains { $0.count == 12 && $0.allSatisfy(\.isHexDigit) })
        }
    }

    /// The rows, in the order of the runs.
    /// - Parameter schema: The schema of the table, quoted.
    package func selection(in schema: String) -> String {
        "SELECT \(columns) FROM \(schema).\(SQLTokens.quote(table)) \(rest)"
    }

    /// The error if the database has no such table.
    package var missing: LockstepError {
        LockstepError(
            .notFound, "the database has no table \(table): \(tool) has not migrated it",
            hint: "name the version of its schema instead", context: .init(table: table))
    }

    /// Whether an object is the tool's table, or goes with it, and stands beside the set by right.
    package func has(_ name: String) -> Bool { own.contains(SQLName(name)) }

    // MARK: Reading

    /// The newest version that is applied.
    /// - Parameter rows: The texts of each row.
    /// - Throws: ``LockstepError/Code/notFound`` if nothing is recorded; ``LockstepError/Code/migrationUnfinished`` for a
    ///   version that failed; ``LockstepError/Code/migrationMissing`` for one whose file is gone,
    ///   ``LockstepError/Code/migrationChanged`` for one that was edited, and ``LockstepError/Code/versionGap`` for one
    ///   that was left out.
    package func newest(_ rows: [[String?]], in set: MigrationSet) throws(LockstepError) -> MigrationVersion {
        let context = LockstepError.Context(set: set.name)
        var applied: Set<MigrationVersion> = []
        var covered: MigrationVersion?
        for row in rows {
            let (version, name, checksum) = (row[0], row[1], row[2])
            let title = name ?? version ?? ""
            switch row[3].flatMap(State.init) {
            case .begun, nil:
                throw LockstepError(
                    .migrationUnfinished, "\(tool) has begun \(title) and not finished it",
                    hint: "end it with \(tool) first", context: context)
            case .undone:
                if let file = file(version, name, in: set) { applied.remove(file.version) }
            case .baseline: covered = version.flatMap { MigrationVersion($0) } ?? covered
            case .newest: covered = try requireFile(version, name, checksum, title, in: set).version
            case .done: applied.insert(try requireFile(version, name, checksum, title, in: set).version)
            }
        }
        let all = set.files.map(\.version)
        let below = covered.flatMap { covered in all.filter { $0 <= covered }.max() }
        guard let newest = [applied.max(), below].compactMap(\.self).max() else {
            throw LockstepError(
                .notFound, "\(table) records no version of \(set.name) as applied",
                hint: "migrate the database from its first version", context: context)
        }
        let left = set.files.first { file in
            file.version < newest && !applied.contains(file.version) && covered.map { $0 < file.version } ?? true
        }
        if let left {
            throw LockstepError(
                .versionGap,
                "\(left.fileName) is older than the newest version that \(tool) has applied, and is not applied",
                hint: "apply it with \(tool) first, or remove it", context: .init(set: set.name, left.version))
        }
        return newest
    }

    private func requireFile(
        _ version: String?, _ name: String?, _ checksum: String?, _ title: String, in set: MigrationSet
    ) throws(LockstepError) -> MigrationFile {
        guard let file = file(version, name, in: set) else {
            throw LockstepError(
                .migrationMissing, "\(tool) has applied \(title), and the set \(set.name) has no such file",
                hint: "restore the file from version control", context: .init(set: set.name))
        }
        // A checkout on Windows has other line ends than the files that ran elsewhere.
        let sums = [file.checksums.bytes, file.checksums.text].map { Hex.encode($0) }
        guard checksum.map({ sums.containsBytes(of: $0.asciiLowercased) }) ?? true else {
            throw LockstepError(
                .migrationChanged, "\(file.fileName) has changed since \(tool) applied it",
                hint: "restore the file as it was", context: .init(set: set.name, file.version))
        }
        return file
    }

    private func file(_ version: String?, _ name: String?, in set: MigrationSet) -> MigrationFile? {
        if let version {
            let wanted = MigrationVersion(version)
            return set.files.first { $0.version == wanted }
        }
        guard let name, !name.isEmpty else { return nil }
        let fitting = set.files.filter { file in
            set.layout == .prisma
                ? file.fileName.hasSameBytes(as: "\(name)/migration.sql")
                : Self.words(file).contains { $0.hasSameBytes(as: name) }
        }
        return fitting.count == 1 ? fitting[0] : nil
    }

    private static func words(_ file: MigrationFile) -> [Substring] {
        file.fileName.split { !$0.isLetter && !$0.isNumber }
    }
}
