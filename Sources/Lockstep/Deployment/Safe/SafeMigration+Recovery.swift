/// Recovery from killed runs.
extension SafeMigration {
    /// Finishes a restore that a killed run had started.
    /// - Returns: The journal of an earlier killed run, from which this run continues.
    func recover(
        _ connection: borrowing Connection, _ access: borrowing DeploymentKey,
        _ backups: MigrationBackups, _ report: inout SafeMigrationReport
    ) throws -> SafeJournal? {
        guard let journal = try SafeJournal.read(of: database) else { return nil }
        guard journal.phase == .restoring else {
            report.recovery = .continued
            return journal
        }
        let watch = try connection.watchCommits()
        let cause = LockstepError(.interrupted, "an earlier run was killed while it was restoring the database")
        if !FileAccess.exists(journal.backup) {
            report.outcome = .notRestored
            let lost = LockstepError(
                .notRestored,
                "an earlier run was killed while it was restoring \(database), and its backup, "
                    + "\(journal.backup), is gone: whether the restore finished is unknown",
                advice:
                    "check the database with \(.showStatus) and \(.verify), then continue from here",
                context: .file(database))
            throw cleaningUp(after: lost) { try SafeJournal.remove(of: database) }
        } else if let content = journal.content, try connection.contentDigest() == content {
            try restore(cause, journal, connection, watch, access, backups, &report)
        } else if try isRestored(connection, journal, access) {
            try FileRole.original.record(in: connection)
            try forget(journal, backups, &report)
        } else {
            report.outcome = .notRestored
            report.backup = journal.backup
            throw cleaningUp(after: othersHaveWritten(cause, journal.backup)) {
                try SafeJournal.remove(of: database)
            }
        }
        report.outcome = nil
        report.recovery = .restored
        return try SafeJournal.read(of: database)
    }

    /// Whether the kill came after the commit of the restore: then the versions of the failed run are no longer
    /// in the ledger.
    private func isRestored(
        _ connection: borrowing Connection, _ journal: SafeJournal, _ access: borrowing DeploymentKey
    ) throws -> Bool {
        var reading = options.ofSchema
        reading.isQueryOnly = true
        let backup = try Connection.open(journal.backup, key: access.key.withoutOrigin(), options: reading)
        return try Ledger.entries(backup) == Ledger.entries(connection)
    }

    /// Verifies the work of a killed run that has no versions left to run.
    func verify(
        _ unfinished: SafeJournal, _ connection: borrowing Connection, _ access: borrowing DeploymentKey,
        _ backups: MigrationBackups, _ report: inout SafeMigrationReport
    ) throws {
        try sweepUnfinished(backups)
        report.backup = unfinished.backup
        let watch = try connection.watchCommits()
        do {
            try requireVerified(backup: unfinished.backup, access, &report)
        } catch {
            // Only the recorded content shows whether others have written since.
            guard let content = unfinished.content, try connection.contentDigest() == content else {
                report.outcome = .notRestored
                throw notRestored(
                    "was not restored: the run that migrated it was killed, and others might have "
                        + "written to it since", error, unfinished.backup, "fix the migrations and continue from here")
            }
            var journal = unfinished
            journal.phase = .restoring
            try journal.write(of: database)
            try restore(error, journal, connection, watch, access, backups, &report)
            throw error
        }
        try complete(backups, &report)
    }
}
