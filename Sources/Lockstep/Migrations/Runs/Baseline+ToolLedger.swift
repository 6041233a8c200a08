extension Baseline {
    /// A baseline at the newest version that the table of another tool records as applied: of Prisma, Flyway, golang-migrate,
    /// dbmate, diesel, sqlx, goose or refinery, by the set's layout, or of Alembic for any other.
    ///
    /// The table has to record every version up to that one, with Prisma's checksums those of the files as they are. It stays,
    /// and counts as no difference beside a set of that layout.
    /// - Parameters:
    ///   - set: The set in the tool's layout; for Alembic, with Alembic's identifiers in the names of the files.
    ///   - connection: The database that the tool has migrated.
    /// - Throws: ``LockstepError/Code/notFound`` without the table, or if it records nothing;
    ///   ``LockstepError/Code/migrationUnfinished`` for a version that failed; ``LockstepError/Code/migrationMissing`` for
    ///   one whose file is gone, ``LockstepError/Code/migrationChanged`` for one that was edited, and
    ///   ``LockstepError/Code/versionGap`` for one that was left out.
    public init(_ set: MigrationSet, asRecordedIn connection: borrowing Connection) throws {
        let ledger = ToolLedger(set)
        let rows = try connection.read { connection in
            let isThere = try connection.value(
                "SELECT EXISTS (SELECT 1 FROM main.sqlite_schema WHERE type = 'table' AND name = ? COLLATE NOCASE)",
                ledger.table, as: Bool.self)
            guard isThere == true else { throw ledger.missing }
            return try connection.query(SQL(verbatim: ledger.selection(in: "main"))) { row in
                try (0..<4).map { try row[$0] as String? }
            }
        }
        self.init(set, at: try ledger.newest(rows, in: set))
    }
}

extension [SchemaSnapshot.Difference] {
    /// Without the tables that other tools keep beside the schemas of these sets.
    func without(tablesOf sets: [MigrationSet]) -> Self {
        let ledgers = sets.map { ToolLedger($0) }
        return filter { difference in
            difference.change != .unexpected || !ledgers.contains { $0.has(difference.name) }
        }
    }
}
