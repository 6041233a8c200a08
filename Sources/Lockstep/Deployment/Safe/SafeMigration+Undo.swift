internal import SystemPackage

/// The restore after a failure.
extension SafeMigration {
    /// Restores the database, if anything was committed.
    /// - Throws: ``LockstepError/Code/notRestored`` if the database is not restored when this returns.
    func undo(
        _ cause: any Error, _ journal: SafeJournal, _ connection: borrowing Connection,
        _ watch: CommitWatch, _ access: borrowing DeploymentKey, _ backups: MigrationBackups,
        _ hasBegun: Bool, _ report: inout SafeMigrationReport
    ) throws {
        guard watch.own > 0 else {
            if hasBegun { report.outcome = .rolledBack }
            return tidyUp(journal, backups, &report)
        }
        var journal = journal
        journal.phase = .restoring
        do {
            journal.content = try connection.contentDigest()
            try journal.write(of: database)
        } catch {
            // The disk can be full, for example. The journal only matters after a kill, and the run does
            // without it if necessary: the next run then continues from the committed versions.
        }
        try restore(cause, journal, connection, watch, access, backups, &report)
    }

    /// Restores the backup's content, unless others have committed anything since `watch` began.
    func restore(
        _ cause: any Error, _ journal: SafeJournal, _ connection: borrowing Connection, _ watch: CommitWatch,
        _ access: borrowing DeploymentKey, _ backups: MigrationBackups, _ report: inout SafeMigrationReport
    ) throws {
        report.outcome = .notRestored
        let isRestored: Bool
        do {
            reporter.announce(JobProgress(.restoring))
            try PageAudit(journal.backup).requireClean(access.key)
            var reading = options.ofSchema
            reading.isQueryOnly = true
            let backup = try Connection.open(journal.backup, key: access.key.withoutOrigin(), options: reading)
            isRestored = try connection.replaceContent(with: backup, timeout: timeout) {
                try watch.others($0) == 0
            }
            // If the run is killed before this, the next one finds that the content is restored.
            if isRestored { try FileRole.original.record(in: connection) }
        } catch {
            throw notRestored(
                "could not be restored: \(Self.text(error))", cause, journal.backup,
                "fix that and run it again to finish the restore, or remove "
                    + "\(SafeJournal.path(of: database)) to keep the database as it is")
        }
        guard isRestored else {
            throw cleaningUp(after: othersHaveWritten(cause, journal.backup)) {
                try SafeJournal.remove(of: database)
            }
        }
        report.outcome = .restored
        tidyUp(journal, backups, &report)
    }

    /// Ignores errors: the original failure is more important, and the next run tidies up the rest.
    private func tidyUp(
        _ journal: SafeJournal, _ backups: MigrationBackups, _ report: inout SafeMigrationReport
    ) { try? forget(journal, backups, &report) }

    /// Ends a restore: the database has its old content again, and the backup holds the same.
    func forget(_ journal: SafeJournal, _ backups: MigrationBackups, _ report: inout SafeMigrationReport) throws {
        // First the journal: without its backup, it would make the next run look for the backup.
        if let origin = journal.origin {
            try SafeJournal(phase: .migrating, backup: origin, origin: nil).write(of: database)
        } else {
            try SafeJournal.remove(of: database)
        }
        backups.remove(journal.backup)
        report.backup = nil
    }

    // MARK: Errors

    func othersHaveWritten(_ cause: any Error, _ backup: FilePath) -> LockstepError {
        notRestored(
            "was not restored, since others have written to it meanwhile", cause, backup,
            "fix the migrations and continue from here")
    }

    func notRestored(
        _ what: String, _ cause: any Error, _ backup: FilePath, _ hint: String
    ) -> LockstepError {
        LockstepError(
            .notRestored, "\(database) \(what). The original failure: \(Self.text(cause))",
            advice: """
                \(hint); or discard everything written since: close every program that uses the database, \
                then \(.restoreBackup("\(backup)"))
                """, context: .file(database).completed(by: (cause as? LockstepError)?.context ?? .init()))
    }

    /// The text of an error of the calling program can contain values.
    private static func text(_ error: any Error) -> String {
        (error as? LockstepError)?.message ?? "an error of the calling program, \(type(of: error))"
    }
}
