internal import SystemPackage

/// One file of a fleet.
struct FleetJob {
    let fleet: FleetMigration
    let file: FilePath
    let queue: FleetQueue

    func run(
        _ access: (FilePath) throws -> DatabaseAccess, _ result: inout FleetResult
    ) throws {
        try Diagnosis.requireDatabase(file)
        let access = try access(file)
        if let safety = fleet.safely {
            try runSafely(safety, access, &result)
        } else {
            try runPlainly(access, &result)
        }
    }

    private var options: ConnectionOptions {
        var options = fleet.options.asking(queue.shouldContinue)
        options.isQueryOnly = false
        return options
    }

    // MARK: Without a way back

    private func runPlainly(
        _ access: borrowing DatabaseAccess, _ result: inout FleetResult
    ) throws {
        var writing = options
        writing.synchronous = .normal
        let connection = try Connection.open(file, key: access.databaseKey(for: file), options: writing)
        result.database = try connection.databaseID()
        let before = try Ledger.entries(connection)
        (result.from, result.to) = (versions(before), versions(before))
        guard try CombinedPlan.hasSteps(fleet.sets, fleet.target, fleet.recordedDown, ledger: before, on: connection)
        else { return }
        do {
            try migrate(connection, &result)
        } catch {
            // Report the result as far as possible: the error is what counts.
            if let ledger = try? Ledger.entries(connection) { result.to = versions(ledger) }
            throw cleaningUp(after: error, isBestEffort: true) { try settle(connection) }
        }
        if result.steps.allSatisfy(\.isUp) {
            for step in result.steps {
                result.to[step.set] = max(result.to[step.set] ?? step.version, step.version)
            }
        } else {
            result.to = versions(try Ledger.entries(connection))
        }
        try settle(connection)
    }

    private func migrate(
        _ connection: borrowing Connection, _ result: inout FleetResult
    ) throws {
        for set in fleet.sets {
            var report = MigrationReport()
            let migrator = Migrator(
                set, timeout: fleet.timeout, recordedDown: fleet.recordedDown)
            defer {
                result.steps += report.steps
                result.notices += report.notices
            }
            try migrator.run(fleet.target, on: connection, into: &report) { _ in
                try requireGoingOn("run it again: finished work is not repeated")
            }
        }
    }

    private func requireGoingOn(_ hint: String? = nil) throws(LockstepError) {
        guard queue.shouldContinue() else {
            throw LockstepError(
                .interrupted, "the migration of \(file) was interrupted", hint: hint, context: .file(file))
        }
    }

    /// All commits are on disk when this returns.
    private func settle(_ connection: borrowing Connection) throws {
        // Syncs the log, then the file. If other connections hold some of the log back, possibly neither.
        guard try !connection.checkpoint(.passive).isComplete else { return }
        try connection.syncLog()
    }

    // MARK: With a way back

    private func runSafely(
        _ safety: FleetMigration.Safety, _ access: borrowing DatabaseAccess, _ result: inout FleetResult
    ) throws {
        // Without the end of an interrupted fleet: what was reached is still to be reported.
        let reading = fleet.options.ofOneJob
        result.from = try recordedVersions(access, reading)
        result.to = result.from
        var migration = SafeMigration(of: file, sets: fleet.sets)
        migration.target = fleet.target
        migration.recordedDown = fleet.recordedDown
        migration.backupFolder = safety.backupFolder
        migration.keep = safety.keep
        migration.timeout = fleet.timeout
        migration.options = options
        var report = SafeMigrationReport()
        defer {
            result.safe = report
            result.steps = report.migration.steps
            result.notices = report.migration.notices
        }
        do {
            try migration.run(access, into: &report) { _ in try requireGoingOn() }
        } catch {
            // As above, the error is what counts.
            if let now = try? recordedVersions(access, reading) { result.to = now }
            throw error
        }
        result.to = try recordedVersions(access, reading)
    }

    private func recordedVersions(
        _ access: borrowing DatabaseAccess, _ options: ConnectionOptions
    ) throws -> [String: MigrationVersion] {  // exact: names of sets
        var reading = options
        reading.addition = reading.addition?.migrating(isChecked: true)
        reading.isQueryOnly = true
        let connection = try Connection.open(file, key: access.databaseKey(for: file), options: reading)
        return versions(try Ledger.entries(connection))
    }

    // exact: names of sets
    /// The newest version of each of the fleet's sets.
    private func versions(_ ledger: [LedgerEntry]) -> [String: MigrationVersion] {
        var versions: [String: MigrationVersion] = [:]  // exact: names of sets
        let names = Set(fleet.sets.map(\.name))
        for entry in ledger where names.contains(entry.set) {
            versions[entry.set] = max(versions[entry.set] ?? entry.version, entry.version)
        }
        return versions
    }
}
