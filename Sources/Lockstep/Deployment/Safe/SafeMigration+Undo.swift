internal import SystemPackage

/// The way back.
extension SafeMigration {
    /// Puts the database back as it was, if anything was committed.
    /// - Throws: ``LockstepError/Code/notRestored`` if it is not what it was when this returns.
    func undo(
        _ cause: any Error, _ journal: SafeJournal, _ connection: borrowing Connection,
        _ watch: CommitWatch, _ access: borrowing DatabaseAccess, _ backups: MigrationBackups,
        _ hasBegun: Bool, _ report: inout SafeMigrationReport
    ) throws {
        guard watch.own > 0 else {
            if hasBegun { report.outcome = .rolledBack }
            return tidyUp(journal, backups, &report)
        }
        var journal = journal
        journal.phase = .restoring
        do {
            journal.content = try connection.contentMark()
            try journal.write(of: database)
        } catch {
            // A disk that is full, for one. It is for the case of a kill only, and goes without if it must:
            // the next run then goes on from the versions that are committed.
        }
        try restore(cause, journal, connection, watch, access, backups, &report)
    }

    /// Puts the backup's content back, unless others have committed anything since `watch` began.
    func restore(
        _ cause: any Error, _ journal: SafeJournal, _ connection: borrowing Connection,
        _ watch: CommitWatch, _ access: borrowing DatabaseAccess, _ backups: MigrationBackups,
        _ report: inout SafeMigrationReport
    ) throws {
        report.outcome = .notRestored
        let isRestored: Bool
        do {
            try observe(.restoring)
            try Backup.requireSound(journal.backup, access.key)
            var reading = options.ofSchema
            reading.isQueryOnly = true
            let backup = try Connection.open(journal.backup, key: access.key, options: reading)
            isRestored = try connection.replaceContent(with: backup, timeout: timeout) {
                try watch.others($0) == 0
            }
        } catch {
            throw notRestored(
                "could not be put back as it was: \(Self.text(error))", cause, journal.backup,
                "mend that and run it again, which finishes it, or remove "
                    + "\(SafeJournal.path(of: database)) to leave it as it is")
        }
        guard isRestored else {
            try SafeJournal.remove(of: database)
            throw othersHaveWritten(cause, journal.backup)
        }
        report.outcome = .restored
        tidyUp(journal, backups, &report)
    }

    /// What cannot be tidied up now the next run tidies up: what had failed is more worth telling.
    private func tidyUp(
        _ journal: SafeJournal, _ backups: MigrationBackups, _ report: inout SafeMigrationReport
    ) { try? forget(journal, backups, &report) }

    /// The database is what it was, and the backup holds the same.
    func forget(
        _ journal: SafeJournal, _ backups: MigrationBackups, _ report: inout SafeMigrationReport
    ) throws {
        // First: a journal without its backup would have the next run look for it.
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
            "was not put back as it was, since others have written to it meanwhile", cause, backup,
            "mend the migrations and go on from here")
    }

    func notRestored(
        _ what: String, _ cause: any Error, _ backup: FilePath, _ hint: String
    ) -> LockstepError {
        LockstepError(
            .notRestored, "\(database) \(what). What had failed: \(Self.text(cause))",
            hint:
                "\(hint); or give up all that was written since: close every program that uses the "
                + "database, then `lockstep restore \(backup)`")
    }

    /// An error of the program's own may hold values.
    private static func text(_ error: any Error) -> String {
        (error as? LockstepError)?.message ?? "an error of the program's own, \(type(of: error))"
    }
}
