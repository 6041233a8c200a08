public import Lockstep

/// Runs the pending migrations on a copy of a server's database, which its owner has made, to find out whether they
/// succeed, how long they take and how they change the rows. The database itself is only read.
public struct ServerRehearsal {
    /// The sets to run, in this order.
    public let sets: [MigrationSet]
    /// How far to migrate.
    public var target = Plan.Target.latest
    /// Whether a version whose file is missing may be undone as the copy recorded it, which anyone who can write the
    /// ledger can have written.
    public var recordedDown = RecordedDown.refused

    /// A rehearsal of `sets`. Nothing runs yet.
    public init(_ sets: [MigrationSet]) { self.sets = sets }

    /// Runs the rehearsal. Blocks. The copy keeps what has run.
    ///
    /// A version that fails is a result of the rehearsal, and is in the report; so is the size of the log that the
    /// server wrote for the versions.
    /// - Parameters:
    ///   - original: A connection with the database.
    ///   - copy: A connection with its copy.
    ///   - progress: Called before each statement.
    /// - Throws: `LockstepError.Code.misuse` if the two are one database, or have not recorded the same versions; the
    ///   plan's fatal findings; the server's errors.
    public func run(
        of original: borrowing ServerConnection, on copy: borrowing ServerConnection,
        progress: @escaping JobProgress.Handler = { _ in }
    ) throws -> RehearsalReport {
        try requireCopy(original, copy)
        var report = RehearsalReport()
        report.bytesBefore = try Self.size(copy)
        let start = try Self.logPosition(copy)
        for set in sets where report.failure == nil {
            try run(set, copy, &report, progress)
        }
        let written: ServerCount? = try copy.value(
            "SELECT pg_catalog.pg_wal_lsn_diff(\(Self.logPosition(copy))::pg_lsn, \(start)::pg_lsn)::int8")
        report.logBytes = written?.value ?? 0
        report.bytesAfter = try Self.size(copy)
        report.time = report.time.ended()
        return report
    }

    private func run(
        _ set: MigrationSet, _ copy: borrowing ServerConnection,
        _ report: inout RehearsalReport,
        _ progress: @escaping JobProgress.Handler
    ) throws {
        let migrator = ServerMigrator(set, recordedDown: recordedDown)
        let plan = try migrator.plan(target, on: copy)
        try plan.requireSound()
        var goals: [Plan.Target] = plan.steps.map { $0.isUp ? .version($0.version) : .back(1) }
        // Repeatable migrations come last.
        if target == .latest { goals.append(.latest) }
        var rows = try TableRowCounts(copy)
        for goal in goals where report.failure == nil {
            var run = MigrationReport()
            do {
                try migrator.run(goal, on: copy, into: &run, progress: progress)
            } catch let error as LockstepError where !Self.says(nothing: error.code) {
                report.failure = error
            }
            let now = try TableRowCounts(copy)
            let changes = now.changes(since: rows)
            rows = now
            report.steps += run.steps.enumerated().map { index, step in
                RehearsalReport.Step(step, index == run.steps.count - 1 ? changes : [])
            }
            report.notices += run.notices.filter { !report.notices.contains($0) }
        }
    }

    /// How far the run came then says nothing of the version.
    private static func says(nothing code: LockstepError.Code) -> Bool {
        code == .interrupted || code == .serverUnreachable || code == .commitUnknown
    }

    // MARK: The copy

    private func requireCopy(_ original: borrowing ServerConnection, _ copy: borrowing ServerConnection) throws {
        guard try Self.identity(original) != Self.identity(copy) else {
            throw LockstepError(
                .misuse,
                "\(copy.address) is the database itself, and a rehearsal changes a copy",
                hint:
                    "make a copy, with CREATE DATABASE … TEMPLATE or from a backup, and name that"
            )
        }
        let ours = try ServerMigrator.history(original).entries.map(Self.essence)
        guard try ours == ServerMigrator.history(copy).entries.map(Self.essence) else {
            throw LockstepError(
                .misuse, "\(copy.address) does not have the same versions as \(original.address)",
                hint: "make the copy again")
        }
    }

    private static func essence(_ entry: LedgerEntry) -> String {
        "\(entry.set) \(entry.version) \(entry.checksums.bytes)"
    }

    /// What only one database has: its server's identity, start and own number. A copy of a whole server has the first
    /// and the last.
    private static func identity(_ connection: borrowing ServerConnection) throws -> [String] {
        try connection.query(
            """
            SELECT s.system_identifier::text, pg_catalog.pg_postmaster_start_time()::text, d.oid::text
            FROM pg_catalog.pg_control_system() AS s, pg_catalog.pg_database AS d
            WHERE d.datname OPERATOR(pg_catalog.=) pg_catalog.current_database()
            """
        ) { row -> [String] in [try row[0], try row[1], try row[2]] }.first ?? []
    }

    private static func size(_ connection: borrowing ServerConnection) throws -> Int {
        let size: ServerCount? = try connection.value(
            "SELECT pg_catalog.pg_database_size(pg_catalog.current_database())")
        return size?.value ?? 0
    }

    private static func logPosition(_ connection: borrowing ServerConnection) throws -> String {
        try connection.value("SELECT pg_catalog.pg_current_wal_insert_lsn()::text") ?? "0/0"
    }
}

extension TableRowCounts {
    fileprivate init(_ connection: borrowing ServerConnection) throws {
        var counts: [ExactText: Int] = [:]
        let tables = try connection.query(
            """
            SELECT n.nspname::text, c.relname::text
            FROM pg_catalog.pg_class AS c
            JOIN pg_catalog.pg_namespace AS n ON n.oid OPERATOR(pg_catalog.=) c.relnamespace
            WHERE c.relkind OPERATOR(pg_catalog.=) 'r'::"char" AND c.relpersistence OPERATOR(pg_catalog.<>) 't'::"char"
                AND n.nspname OPERATOR(pg_catalog.<>) ALL (ARRAY['pg_catalog', 'information_schema', 'pg_toast']::name[])
                AND c.relname::text OPERATOR(pg_catalog.!~~) 'lockstep\\_%'
            """
        ) { (schema: try $0[0] as String, table: try $0[1] as String) }
        for one in tables {
            let rows: ServerCount? = try connection.value(
                "SELECT pg_catalog.count(*) FROM \(name: one.schema).\(name: one.table)")
            counts[ExactText("\(one.schema).\(one.table)")] = rows?.value
        }
        self.init(counts)
    }
}
