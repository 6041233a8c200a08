internal import SystemPackage

/// What runs that were killed have left.
extension SafeMigration {
    /// Finishes putting back what a killed run was putting back.
    /// - Returns: The journal of a run that was killed earlier on, for this one to go on from.
    func recover(
        _ connection: borrowing Connection, _ access: borrowing DatabaseAccess,
        _ backups: MigrationBackups, _ report: inout SafeMigrationReport
    ) throws -> SafeJournal? {
        guard let journal = try SafeJournal.read(of: database) else { return nil }
        guard journal.phase == .restoring else {
            report.recovery = .continued
            return journal
        }
        let watch = try connection.watchCommits()
        let cause = LockstepError(
            .interrupted, "an earlier run was killed while it put the database back")
        if !FileAccess.exists(journal.backup) {
            report.outcome = .notRestored
            try SafeJournal.remove(of: database)
            throw LockstepError(
                .notRestored,
                "an earlier run was killed while it put \(database) back, and its backup, "
                    + "\(journal.backup), is gone: whether that was finished cannot be told",
                hint:
                    "check the database with `lockstep status` and `lockstep verify`, then go on from here"
            )
        } else if let content = journal.content, try connection.contentMark() == content {
            try restore(cause, journal, connection, watch, access, backups, &report)
        } else if try isRestored(connection, journal, access) {
            try forget(journal, backups, &report)
        } else {
            report.outcome = .notRestored
            report.backup = journal.backup
            try SafeJournal.remove(of: database)
            throw othersHaveWritten(cause, journal.backup)
        }
        report.outcome = nil
        report.recovery = .restored
        return try SafeJournal.read(of: database)
    }

    /// Whether the kill came after the commit that put it back: what the failed run had applied is not in
    /// the ledger any more.
    private func isRestored(
        _ connection: borrowing Connection, _ journal: SafeJournal,
        _ access: borrowing DatabaseAccess
    ) throws -> Bool {
        var reading = options.ofSchema
        reading.isQueryOnly = true
        let backup = try Connection.open(journal.backup, key: access.key, options: reading)
        return try Ledger.entries(backup) == Ledger.entries(connection)
    }

    /// Nothing is left to run of what a killed run began: only to verify it.
    func verify(
        _ unfinished: SafeJournal, _ connection: borrowing Connection,
        _ access: borrowing DatabaseAccess, _ backups: MigrationBackups,
        _ report: inout SafeMigrationReport
    ) throws {
        try sweepUnfinished(backups)
        report.backup = unfinished.backup
        let watch = try connection.watchCommits()
        do {
            try requireVerified(backup: unfinished.backup, access, &report)
        } catch {
            // Whether others have written since can be told only by what the content was.
            guard let content = unfinished.content, try connection.contentMark() == content else {
                report.outcome = .notRestored
                throw notRestored(
                    "was not put back as it was: the run that migrated it was killed, and others may have "
                        + "written to it since", error, unfinished.backup,
                    "mend the migrations and go on from here")
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
