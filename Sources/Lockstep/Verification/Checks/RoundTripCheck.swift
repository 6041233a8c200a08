internal import SystemPackage

/// Down as far as the ways down lead, and up again, leaves the schema as it was.
///
/// On a copy beside the database, under a key that nobody knows, which is gone when the check ends; only
/// where the process is killed does it stay, unreadable for ever.
struct RoundTripCheck: Sendable {
    let path: FilePath
    let sets: [MigrationSet]
    let schema: ConnectionOptions
    let desk: CheckCoordinator

    /// - Throws: ``LockstepError/Code/full`` where there is too little space for the copy.
    func run(_ key: borrowing DatabaseKey, isSound: Bool) throws -> CheckResult {
        guard isSound else {
            throw LockstepError(.damaged, "what is damaged is not copied and migrated")
        }
        try requireSpace()
        let copy = try PendingDatabase(for: path)
        let result = try run(on: copy.path, key)
        // Not before everything on it is closed.
        _ = consume copy
        return result
    }

    private func run(on copy: FilePath, _ key: borrowing DatabaseKey) throws -> CheckResult {
        let copyKey = try DatabaseKey.ephemeral()
        try copyPages(to: copy, copyKey, from: key)
        var options = schema.ofSchema
        options.fieldKeys = schema.fieldKeys
        // On the way down nothing may be left that is sealed.
        if !schema.fieldKeys.isEmpty {
            options.mayBeUnsealed = true
            options.mayBeUnknown = true
        }
        options.synchronous = .normal
        options.progress = ProgressHandler(every: 10_000, goOn: desk.goOn)
        let connection = try Connection.open(copy, key: copyKey, options: options)
        connection.authorizer.isReplay = true
        let before = try SchemaSnapshot(connection)
        let rowsBefore = try Self.rows(connection)
        let ledger = try Ledger.entries(connection)
        var trip = RoundTrip(sets: sets) { set, version, isUp in
            try step(isUp ? "up \(set)" : "down \(set)", version)
        }
        try trip.goDown(ledger, connection)
        let lowest = try Ledger.entries(connection)
        try trip.goUp(ledger, from: lowest, connection)
        var findings = trip.findings
        findings += try SchemaSnapshot(connection).differences(from: before).map { difference in
            var finding = DriftCheck.finding(difference)
            finding.message = "after down and up again the \(finding.message)"
            return finding
        }
        findings += Self.compare(rowsBefore, try Self.rows(connection))
        let versions = counted(ledger.count - lowest.count, "version")
        return ("\(versions) of \(ledger.count) down and up again, on a copy", findings)
    }

    private func step(_ step: String, _ version: MigrationVersion) throws {
        desk.tell(VerificationProgress(check: .roundTrip, step: "\(step) \(version)"))
        guard desk.goOn() else { throw LockstepError(.interrupted, "the round trip was given up") }
    }

    // MARK: The copy

    /// Twice the database: its copy, and the log in which tables are rebuilt.
    private func requireSpace() throws {
        let folder = AtomicFile.parent(of: path)
        guard let free = try FileAccess.freeSpace(in: folder) else { return }
        let log = DatabaseFile.side("-wal", of: path)
        let size =
            try FileAccess.sizeOfRegularFile(path)
            + (FileAccess.exists(log) ? FileAccess.sizeOfRegularFile(log) : 0)
        let needed = 2 * size + 1024 * 1024
        guard free >= needed else {
            throw LockstepError(
                .full,
                "the copy needs some \(needed) bytes in \(folder), of which \(free) are free",
                hint: "free some space, or verify a backup elsewhere")
        }
    }

    private func copyPages(
        to copy: FilePath, _ copyKey: borrowing DatabaseKey, from key: borrowing DatabaseKey
    ) throws {
        var reading = schema.ofSchema
        reading.isQueryOnly = true
        let source = try Connection.open(path, key: key, options: reading)
        try source.read { source in
            try Backup.copyPages(source, to: copy, copyKey) { pages in
                desk.tell(
                    VerificationProgress(
                        check: .roundTrip, step: "copying", done: pages.done, total: pages.total))
                guard desk.goOn() else {
                    throw LockstepError(.interrupted, "the copy was given up")
                }
            }
        }
    }

    // MARK: Rows

    /// How many rows each table holds, the engine's own and SQLite's aside.
    private static func rows(_ connection: borrowing Connection) throws -> [String: Int] {
        let tables = try connection.query(
            """
            SELECT name FROM pragma_table_list
            WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              AND name NOT LIKE 'lockstep\\_%' ESCAPE '\\'
            """
        ) { row in try row[0] as String }
        var rows: [String: Int] = [:]
        for table in tables {
            rows[table] = try connection.value("SELECT count(*) FROM main.\(name: table)")
        }
        return rows
    }

    /// A way down may drop what a way up does not bring back: that is its business, and worth knowing.
    private static func compare(
        _ before: [String: Int], _ after: [String: Int]
    ) -> [VerificationReport.Finding] {
        before.sorted { $0.key < $1.key }.compactMap { table, count in
            guard let left = after[table], left != count else { return nil }
            return .notice(
                "\(table) has \(counted(left, "row")) after down and up again, and had \(count)")
        }
    }
}
