internal import CSQLCipher
public import SystemPackage

extension Store {
    /// Copies the database to a new encrypted file while writes continue, and verifies the copy: every page's
    /// MAC, the integrity of its b-trees, the rows of every table. Blocks.
    ///
    /// The copy holds one snapshot, which keeps the write-ahead log from restarting meanwhile.
    /// - Parameters:
    ///   - path: The copy's path. The file is readable by the owner only and appears complete or not at all.
    ///   - key: The copy's key. Under the original's key, pages of either file would be valid in the other; a
    ///     key of its own prevents that.
    /// - Throws: ``LockstepError/Code/alreadyExists``, ``LockstepError/Code/full``,
    ///   ``LockstepError/Code/damaged`` if the original is; any error from `progress`, which ends the copy.
    @discardableResult
    public func backup(
        to path: FilePath, key: borrowing DatabaseKey,
        progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        try namingDamage {
            try read { connection in
                try Backup.run(
                    connection, to: path, key, schema: source.options.connection, progress)
            }
        }
    }

    /// SQLCipher reports a page that does not verify as a generic error. If `body` fails with one, names the
    /// damaged pages of the database.
    func namingDamage<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError
            where [.sqlFailed, .damaged].contains(error.code) && !source.isInMemory
        {
            try source.withKey { key in _ = try PageAudit(self.path).requireClean(key) }
            throw error
        }
    }

    /// The same under the store's own key.
    /// - Throws: The same as ``backup(to:key:progress:)``.
    @discardableResult
    public func backup(
        to path: FilePath, progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        try source.withKey { key in try backup(to: path, key: key, progress: progress) }
    }

    /// Puts a backup in the place of a database, or at a free path, under `key`.
    ///
    /// The backup is verified and copied first; then the copy takes the database's name in one step. If
    /// anything fails, the old database is unchanged.
    /// - Throws: ``LockstepError/Code/busy`` if the database is open anywhere;
    ///   ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged`` if the backup does not verify.
    @discardableResult
    public static func restore(
        _ path: FilePath, key: borrowing DatabaseKey, from backup: FilePath,
        backupKey: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> CopyReport {
        // The existing database and the backup's own record can be older than the keyring.
        let key = try key.withoutOrigin()
        var reading = ConnectionOptions()
        reading.isQueryOnly = true
        reading.closesFullText = true
        try PageAudit(backup).requireClean(backupKey)
        let source = try Connection.open(backup, key: backupKey, options: reading)
        let pending = try PendingDatabase(for: path)
        let report = try source.read { source in
            try Backup.copy(source, to: pending.path, key, schema: reading, progress)
        }
        guard FileAccess.exists(path) else {
            try pending.place()
            return report
        }
        try Backup.emptyLog(of: path, key)
        try pending.replace()
        return report
    }
}

extension ConnectionOptions {
    /// Only the parts that a schema can need: functions and collations.
    var ofSchema: ConnectionOptions {
        var options = ConnectionOptions()
        (options.functions, options.collations) = (functions, collations)
        options.closesFullText = closesFullText
        return options
    }
}

/// Copies an encrypted database page by page.
enum Backup {
    /// Copies to a path that must be free, and verifies the copy.
    static func run(
        _ source: borrowing Connection, to path: FilePath, _ key: borrowing DatabaseKey,
        schema: ConnectionOptions, _ progress: JobProgress.Handler
    ) throws -> CopyReport {
        try PendingDatabase.requireFree(path)
        let pending = try PendingDatabase(for: path)
        let report = try copy(source, to: pending.path, key, schema: schema, progress)
        try pending.place()
        return report
    }

    /// Copies the snapshot that `source` has open, and verifies the copy.
    /// - Parameter schema: Supplies the functions and collations that the schema needs.
    static func copy(
        _ source: borrowing Connection, to path: FilePath, _ key: borrowing DatabaseKey,
        schema: ConnectionOptions = .init(), _ progress: JobProgress.Handler
    ) throws -> CopyReport {
        try copyPages(source, to: path, key, progress)
        return try verify(path, key, schema: schema, against: source)
    }

    /// Copies the snapshot that `source` has open to an empty file, without verifying the copy.
    static func copyPages(
        _ source: borrowing Connection, to path: FilePath, _ key: borrowing DatabaseKey,
        _ progress: JobProgress.Handler
    ) throws {
        // A different page size or reserve would silently make a file that nobody can open. SQLCipher returns
        // the page size as text.
        let pageSize: Int? = try source.value("SELECT CAST(page_size AS INT) FROM pragma_page_size")
        guard pageSize == Profile.current.pageSize else {
            throw LockstepError(
                .olderSQLCipher, "\(source.path) does not have SQLCipher 4's page size",
                hint: "adopt the file instead, which copies it row by row")
        }
        // The first read begins the snapshot that all later reads use.
        _ = try source.value("SELECT count(*) FROM main.sqlite_schema", as: Int.self)
        var writing = ConnectionOptions()
        writing.isScratch = true
        let target = try Opening.open(path, keyspec: key.keyspec(withSalt: true), writing)
        guard
            let backup = unsafe sqlite3_backup_init(target.handle, "main", source.handle, "main")
        else { throw target.core.error(unsafe sqlite3_errcode(target.handle)).located("\(path)") }
        var code = SQLITE_OK
        do {
            while code == SQLITE_OK {
                // 4 MiB at a time.
                code = unsafe sqlite3_backup_step(backup, 1024)
                let total = unsafe Int(sqlite3_backup_pagecount(backup))
                let rest = unsafe Int(sqlite3_backup_remaining(backup))
                try progress(JobProgress(.copying, total - rest, of: total, .pages))
            }
        } catch {
            unsafe sqlite3_backup_finish(backup)
            throw error
        }
        unsafe sqlite3_backup_finish(backup)
        guard code == SQLITE_DONE else {
            throw unsafe ResultCode.error(code, on: nil).located("cannot copy to \(path)")
        }
    }

    /// Checks a finished, closed copy against its original.
    static func verify(
        _ path: FilePath, _ key: borrowing DatabaseKey, schema: ConnectionOptions,
        against source: borrowing Connection
    ) throws -> CopyReport {
        let audit = try PageAudit(path).requireClean(key)
        var reading = schema.ofSchema
        reading.isQueryOnly = true
        let copy = try Connection.open(path, key: key, options: reading)
        try IntegrityAnswer.require(copy)
        let (before, after) = (try rowCounts(source), try rowCounts(copy))
        guard before == after else {
            throw LockstepError(
                .damaged, "the copy of \(source.path) does not have the original's row counts",
                hint: "run `lockstep verify` on the original")
        }
        return CopyReport(pages: audit.pages, rows: after)
    }

    /// The row count of every table that stores rows itself.
    static func rowCounts(_ connection: borrowing Connection) throws -> [String: Int] {
        let names = try connection.query(
            """
            SELECT name FROM main.sqlite_schema
            WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """
        ) { row in try row[0] as String }
        var counts: [String: Int] = [:]
        for name in names {
            counts[name] = try connection.value("SELECT count(*) FROM main.\(name: name)")
        }
        return counts
    }

    /// Checkpoints the log of a database that is about to be replaced, if the database opens at all.
    fileprivate static func emptyLog(of path: FilePath, _ key: borrowing DatabaseKey) throws {
        guard case .keyFits = try Diagnosis.examine(path, key: key) else { return }
        do {
            try Connection.open(path, key: key).checkpoint(.truncate)
        } catch let error as LockstepError where error.code == .damaged {
            // The damage is the reason for the replacement.
        }
    }
}
