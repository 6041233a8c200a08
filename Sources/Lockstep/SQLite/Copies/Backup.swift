internal import CSQLCipher
public import SystemPackage

extension Store {
    /// Copies the database to a new encrypted file while writes go on, and verifies the copy: every page's
    /// MAC, the integrity of its b-trees, the rows of every table. Blocks.
    ///
    /// The copy is of one snapshot, which keeps the write-ahead log from beginning anew meanwhile.
    /// - Parameters:
    ///   - path: Where the copy shall stand, readable by the owner only. It is there whole or not at all.
    ///   - key: The key of the copy. Under the same key as the original, pages of the one file would be
    ///     valid in the other; a key of its own prevents that.
    /// - Throws: ``LockstepError/Code/alreadyExists``, ``LockstepError/Code/full``,
    ///   ``LockstepError/Code/damaged`` if the original is; what `progress` throws, which ends the copy.
    @discardableResult
    public func backup(
        to path: FilePath, key: borrowing DatabaseKey,
        progress: (CopyProgress) throws -> Void = { _ in }
    ) throws -> CopyReport {
        try namingDamage {
            try read { connection in
                try Backup.run(
                    connection, to: path, key, schema: source.options.connection, progress)
            }
        }
    }

    /// SQLCipher tells a page that does not verify as an error of no kind: where `body` fails in such a
    /// way, says which pages of the database are damaged.
    func namingDamage<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError
            where [.sqlFailed, .damaged].contains(error.code) && !source.isInMemory
        {
            try source.withKey { key in _ = try Backup.requireSound(self.path, key) }
            throw error
        }
    }

    /// The same under the store's own key.
    /// - Throws: as ``backup(to:key:progress:)``.
    @discardableResult
    public func backup(
        to path: FilePath, progress: (CopyProgress) throws -> Void = { _ in }
    ) throws -> CopyReport {
        try source.withKey { key in try backup(to: path, key: key, progress: progress) }
    }

    /// Puts a backup in the place of a database, or where none stands, under `key`.
    ///
    /// The backup is verified and copied first; then the copy takes the database's name in one step. If
    /// anything fails, the old database stands as it was.
    /// - Throws: ``LockstepError/Code/busy`` if anybody has the database open;
    ///   ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged`` if the backup does not verify.
    @discardableResult
    public static func restore(
        _ path: FilePath, key: borrowing DatabaseKey, from backup: FilePath,
        backupKey: borrowing DatabaseKey, progress: (CopyProgress) throws -> Void = { _ in }
    ) throws -> CopyReport {
        // What stands there now, and what the backup remembers, may be older than the keyring.
        let key = try key.withoutOrigin()
        var reading = ConnectionOptions()
        reading.isQueryOnly = true
        reading.closesFullText = true
        try Backup.requireSound(backup, backupKey)
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
    /// Only what a schema may need: functions and collations.
    var ofSchema: ConnectionOptions {
        var options = ConnectionOptions()
        (options.functions, options.collations) = (functions, collations)
        options.closesFullText = closesFullText
        return options
    }
}

/// Copying an encrypted database page by page.
enum Backup {
    /// Copies and verifies to a place where nothing may stand.
    static func run(
        _ source: borrowing Connection, to path: FilePath, _ key: borrowing DatabaseKey,
        schema: ConnectionOptions, _ progress: (CopyProgress) throws -> Void
    ) throws -> CopyReport {
        try PendingDatabase.requireFree(path)
        let pending = try PendingDatabase(for: path)
        let report = try copy(source, to: pending.path, key, schema: schema, progress)
        try pending.place()
        return report
    }

    /// Copies the snapshot that `source` has open, and verifies the copy.
    /// - Parameter schema: What holds the functions and collations that the schema needs.
    static func copy(
        _ source: borrowing Connection, to path: FilePath, _ key: borrowing DatabaseKey,
        schema: ConnectionOptions = .init(), _ progress: (CopyProgress) throws -> Void
    ) throws -> CopyReport {
        try copyPages(source, to: path, key, progress)
        return try verify(path, key, schema: schema, against: source)
    }

    /// Copies the snapshot that `source` has open to an empty file, and leaves it at that.
    static func copyPages(
        _ source: borrowing Connection, to path: FilePath, _ key: borrowing DatabaseKey,
        _ progress: (CopyProgress) throws -> Void
    ) throws {
        // Another page size or another reserve would give a file that nobody can open, and say nothing.
        // SQLCipher answers with a text.
        let pageSize: Int? = try source.value("SELECT CAST(page_size AS INT) FROM pragma_page_size")
        guard pageSize == Profile.current.pageSize else {
            throw LockstepError(
                .olderSQLCipher, "\(source.path) has pages of another size than SQLCipher 4's",
                hint: "adopt the file instead: its rows are copied one by one")
        }
        // The first read begins the snapshot that all the rest is of.
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
                try progress(CopyProgress(done: total - rest, total: total))
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

    /// Checks a finished, closed copy against what it is a copy of.
    static func verify(
        _ path: FilePath, _ key: borrowing DatabaseKey, schema: ConnectionOptions,
        against source: borrowing Connection
    ) throws -> CopyReport {
        let audit = try requireSound(path, key)
        var reading = schema.ofSchema
        reading.isQueryOnly = true
        let copy = try Connection.open(path, key: key, options: reading)
        try IntegrityAnswer.require(copy)
        let (before, after) = (try rowCounts(source), try rowCounts(copy))
        guard before == after else {
            throw LockstepError(
                .damaged, "the copy of \(source.path) has other rows than the original",
                hint: "run `lockstep verify` on the original")
        }
        return CopyReport(pages: audit.pages, rows: after)
    }

    @discardableResult
    static func requireSound(
        _ path: FilePath, _ key: borrowing DatabaseKey
    ) throws -> PageAudit {
        let audit = try PageAudit.run(path, key: key)
        guard audit.isClean else {
            if let error = try Diagnosis.examine(path, key: key).error(path) { throw error }
            let pages = audit.damagedPages.prefix(10).map(String.init).joined(separator: ", ")
            throw LockstepError(
                .damaged,
                "\(path) is damaged: \(pages.isEmpty ? "its log or end" : "pages \(pages)")",
                hint:
                    "run `lockstep verify` on it, or bring back what can be with `lockstep salvage`"
            )
        }
        return audit
    }

    /// The rows of every table that holds any of its own.
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

    /// Brings the log of a database that is about to be replaced into its file, if it opens at all.
    fileprivate static func emptyLog(of path: FilePath, _ key: borrowing DatabaseKey) throws {
        guard case .keyFits = try Diagnosis.examine(path, key: key) else { return }
        do {
            try Connection.open(path, key: key).checkpoint(.truncate)
        } catch let error as LockstepError where error.code == .damaged {
            // That is why it is being replaced.
        }
    }
}
