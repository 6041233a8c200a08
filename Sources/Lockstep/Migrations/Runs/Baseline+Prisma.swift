/// Prisma's own table of the migrations that it has run.
enum PrismaTable {
    static let name = "_prisma_migrations"

    /// A row that still counts: Prisma keeps those that failed or were rolled back.
    struct Run {
        let name: String
        let checksum: String
        let hasEnded: Bool
    }

    /// Reads the rows of runs that were not rolled back, in their order.
    static func runs(_ connection: borrowing Connection) throws -> [Run] {
        let isThere = try connection.value(
            "SELECT count(*) FROM main.sqlite_schema WHERE type = 'table' AND name = ?", name, as: Int.self)
        guard isThere == 1 else {
            throw LockstepError(
                .notFound, "the database has no table \(name): Prisma has not migrated it",
                hint: "name the version of its schema instead", context: .init(table: name))
        }
        return try connection.query(
            """
            SELECT CAST(migration_name AS TEXT), CAST(checksum AS TEXT), finished_at IS NOT NULL
            FROM main.\(name: name) WHERE rolled_back_at IS NULL ORDER BY started_at, rowid
            """
        ) { row in
            Run(
                name: try row[0] as String? ?? "", checksum: try row[1] as String? ?? "",
                hasEnded: try row[2])
        }
    }

    /// Without the table that Prisma keeps beside the schema of its migrations.
    static func leftOut(
        of differences: [SchemaSnapshot.Difference], _ sets: [MigrationSet]
    ) -> [SchemaSnapshot.Difference] {
        guard sets.contains(where: { $0.layout == .prisma }) else { return differences }
        return differences.filter {
            // exact: a name of the source
            !($0.change == .unexpected && $0.type == "table" && $0.name == name)
        }
    }
}

extension Baseline {
    /// A baseline at the newest version that Prisma's own table, `_prisma_migrations`, records as applied.
    ///
    /// The table has to record every version up to that one, each with the checksum of the file as it is. It stays, and
    /// counts as no difference beside a set in Prisma's layout.
    /// - Parameters:
    ///   - set: The set in Prisma's layout.
    ///   - connection: The database that Prisma has migrated.
    /// - Throws: ``LockstepError/Code/misuse`` for a set of another layout; ``LockstepError/Code/notFound`` without the
    ///   table, or if it records nothing; ``LockstepError/Code/migrationUnfinished`` for a migration that failed;
    ///   ``LockstepError/Code/migrationMissing`` for one whose folder is gone, ``LockstepError/Code/migrationChanged``
    ///   for one that was edited, and ``LockstepError/Code/versionGap`` for one that was left out.
    public init(_ set: MigrationSet, asPrismaRecordsIn connection: borrowing Connection) throws {
        guard set.layout == .prisma else {
            throw LockstepError(
                .misuse, "the set \(set.name) has the layout \(set.layout.rawValue), not prisma",
                hint: "name the version of the schema instead", context: .init(set: set.name))
        }
        let runs = try connection.read { try PrismaTable.runs($0) }
        var applied: Set<MigrationVersion> = []
        for run in runs {
            applied.insert(try Self.version(of: run, in: set))
        }
        guard let newest = applied.max() else {
            throw LockstepError(
                .notFound, "\(PrismaTable.name) records no migration as applied",
                hint: "migrate the database from its first version",
                context: .init(set: set.name))
        }
        if let left = set.files.first(where: {
            $0.version < newest && !applied.contains($0.version)
        }) {
            throw LockstepError(
                .versionGap,
                "\(left.fileName) is older than the newest migration that Prisma has applied, and is not applied",
                hint: "apply it with Prisma first, or remove it", context: .init(set: set.name, left.version))
        }
        self.init(set, at: newest)
    }

    private static func version(
        of run: PrismaTable.Run, in set: MigrationSet
    ) throws -> MigrationVersion {
        guard run.hasEnded else {
            throw LockstepError(
                .migrationUnfinished, "Prisma has begun \(run.name) and not finished it",
                hint: "end it with `prisma migrate resolve` first", context: .init(set: set.name))
        }
        guard let file = set.files.first(where: { $0.fileName == "\(run.name)/migration.sql" }) else {
            throw LockstepError(
                .migrationMissing, "Prisma has applied \(run.name), and there is no such folder in the set \(set.name)",
                hint: "restore the folder from version control", context: .init(set: set.name))
        }
        // A checkout on Windows has other line ends than the files that Prisma applied elsewhere.
        let sums = [file.checksums.bytes, file.checksums.text].map { Hex.encode($0) }
        guard sums.contains(run.checksum.asciiLowercased) else {
            throw LockstepError(
                .migrationChanged, "\(file.fileName) has changed since Prisma applied it",
                hint: "restore the file as it was", context: .init(set: set.name, file.version))
        }
        return file.version
    }
}
