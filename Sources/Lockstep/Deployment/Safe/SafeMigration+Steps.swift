internal import SystemPackage

/// The steps of a run that has pending versions.
extension SafeMigration {
    /// Backup, versions, verification; and the restore, if one of them fails.
    func migrate(
        _ connection: borrowing Connection, _ access: borrowing DeploymentKey,
        _ backups: MigrationBackups, _ unfinished: SafeJournal?,
        _ report: inout SafeMigrationReport
    ) throws {
        let origin = unfinished.map { $0.origin ?? $0.backup }
        try sweepUnfinished(backups)
        try backups.sweep(keeping: max(keep, 1), pinned: [origin].compactMap(\.self))
        try requireSpace(connection, backups)
        // The watch begins before the backup's snapshot. A commit between the two is in the backup, and counts
        // all the same.
        let watch = try connection.watchCommits()
        let backup = try PageAudit(database).namingDamage(access.key) {
            try backups.make(connection, access.key, schema: options, reporter.report)
        }
        report.backup = backup
        var journal = SafeJournal(phase: .migrating, backup: backup, origin: origin)
        var hasBegun = false
        do {
            try journal.write(of: database)
            try runVersions(connection, &hasBegun, &report.migration)
            journal.phase = .verifying
            journal.content = try connection.contentDigest()
            try journal.write(of: database)
            try requireVerified(backup: backup, access, &report)
        } catch {
            let cause = reporter.reason(for: error)
            try undo(cause, journal, connection, watch, access, backups, hasBegun, &report)
            throw cause
        }
        try complete(backups, &report)
    }

    /// Removes the files that killed runs did not finish.
    func sweepUnfinished(_ backups: MigrationBackups) throws {
        try AtomicFile.removeLeftovers(of: SafeJournal.path(of: database))
        try backups.sweepUnfinished()
    }

    private func requireSpace(
        _ connection: borrowing Connection, _ backups: MigrationBackups
    ) throws {
        let pages: Int? = try connection.value("PRAGMA main.page_count")
        let bytes = (pages ?? 0) * Profile.current.pageSize
        let home = AtomicFile.parent(of: database)
        let isShared = try DiskSpace.isShared(home, backups.place)
        // A restore writes every page to the log.
        try DiskSpace.require(
            DiskSpace.needed(forCopyOf: bytes) + (isShared ? bytes : 0),
            for: "the backup of \(database)", in: backups.place, freeSpace)
        guard !isShared else { return }
        try DiskSpace.require(
            bytes, for: "a restore of \(database)", in: home, freeSpace)
    }

    private func runVersions(
        _ connection: borrowing Connection, _ hasBegun: inout Bool,
        _ report: inout MigrationReport
    ) throws {
        var begun = false
        defer { hasBegun = begun }
        for set in sets {
            let migrator = Migrator(set, timeout: timeout, recordedDown: recordedDown) { event in
                if case .began = event { begun = true }
            }
            try migrator.run(target, on: connection, into: &report, progress: reporter.report)
        }
    }

    /// - Throws: ``LockstepError/Code/verificationFailed``, and any error from the program's own check.
    func requireVerified(
        backup: FilePath, _ access: borrowing DeploymentKey, _ report: inout SafeMigrationReport
    ) throws {
        try reporter.report(JobProgress(.verifying))
        // A migration does not change the keyring, so a fault of the keyring is no reason for a restore, and neither is
        // a change of it meanwhile, which the database has recorded.
        let key = try access.key.withoutOrigin()
        let after = try verification(of: database).run(key: key, progress: reporter.report)
        report.verification = after
        let new = try VerificationChange.newFailures(after) {
            guard FileAccess.exists(backup) else { return VerificationReport() }
            return try verification(of: backup).run(key: key, progress: reporter.report)
        }
        report.migration.notices += VerificationChange.notices(after, besides: new)
        guard new.isEmpty else { throw VerificationChange.error(database, new) }
        try reporter.repeatLast()
        var reading = options.asking(reporter.shouldContinue, isChecked: true)
        reading.isQueryOnly = true
        try check(try Connection.open(database, key: key, options: reading))
    }

    private func verification(of path: FilePath) -> Verification {
        var verification = Verification(path, sets: sets)
        verification.deadline = options.deadline
        return verification
    }

    /// Ends a successful run, and removes the backups that are not kept.
    func complete(_ backups: MigrationBackups, _ report: inout SafeMigrationReport) throws {
        report.outcome = .migrated
        try SafeJournal.remove(of: database)
        // The backup of this run is the newest, whatever the names of others say.
        let own = keep > 0 ? report.backup : nil
        try backups.sweep(keeping: own == nil ? keep : keep - 1, pinned: [own].compactMap(\.self))
        if let backup = report.backup, !FileAccess.exists(backup) { report.backup = nil }
    }
}
