internal import CSQLCipher
internal import SystemPackage

/// Copies an encrypted database page by page.
enum PageCopy {
    /// Copies to a path that must be free, and verifies the copy.
    static func run(
        _ source: borrowing Connection, to path: FilePath, as role: FileRole,
        _ key: borrowing DatabaseKey, schema: ConnectionOptions, _ progress: JobProgress.Handler
    ) throws -> CopyReport {
        try PendingDatabase.requireFree(path)
        let pending = try PendingDatabase(for: path)
        let report = try copy(
            source, to: pending.path, as: role, key, schema: schema, progress)
        try pending.place()
        return report
    }

    /// Copies the snapshot that `source` has open, and verifies the copy.
    /// - Parameters:
    ///   - role: What the copy records that it is; nil for an exact copy, which records what the original does.
    ///   - schema: Supplies the functions and collations that the schema needs.
    static func copy(
        _ source: borrowing Connection, to path: FilePath, as role: FileRole?, _ key: borrowing DatabaseKey,
        schema: ConnectionOptions = .init(), _ progress: JobProgress.Handler
    ) throws -> CopyReport {
        try copyPages(source, to: path, as: role, key, progress)
        return try verify(path, key, schema: schema, against: source)
    }

    /// Copies the snapshot that `source` has open to an empty file, without verifying the copy.
    static func copyPages(
        _ source: borrowing Connection, to path: FilePath, as role: FileRole?,
        _ key: borrowing DatabaseKey, _ progress: JobProgress.Handler
    ) throws {
        // A different page size or reserve would silently make a file that nobody can open. SQLCipher returns
        // the page size as text.
        let pageSize: Int? = try source.value("SELECT CAST(page_size AS INT) FROM pragma_page_size")
        guard pageSize == Profile.current.pageSize else {
            throw LockstepError(
                .olderSQLCipher, "\(source.path) does not have SQLCipher 4's page size",
                hint: "adopt the file instead, which copies it row by row", context: .file(source.path))
        }
        // The first read begins the snapshot that all later reads use.
        _ = try source.value("SELECT count(*) FROM main.sqlite_schema", as: Int.self)
        var writing = ConnectionOptions()
        writing.isScratch = true
        let target = try Opening.open(path, keyspec: key.keyspec(withSalt: true), writing)
        try copyPages(source, into: target, progress)
        // Before the copy is verified, so that what is verified is what remains.
        try role?.record(in: target)
    }

    /// Copies the snapshot that `source` has open into an empty database of the same page size.
    static func copyPages(
        _ source: borrowing Connection, into target: borrowing Connection, _ progress: JobProgress.Handler = { _ in }
    ) throws {
        let path = target.path
        guard
            let backup = unsafe sqlite3_backup_init(target.handle, "main", source.handle, "main")
        else { throw target.core.error(unsafe sqlite3_errcode(target.handle)).located(in: path) }
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
            throw unsafe ResultCode.error(code, on: nil).located("cannot copy to \(path)", context: .file(path))
        }
    }

    /// Checks a finished, closed copy against its original.
    static func verify(
        _ path: FilePath, _ key: borrowing DatabaseKey, schema: ConnectionOptions, against source: borrowing Connection
    ) throws -> CopyReport {
        let audit = try PageAudit(path).requireClean(key)
        var reading = schema.ofSchema
        reading.isQueryOnly = true
        let copy = try Connection.open(path, key: key.withoutOrigin(), options: reading)
        try IntegrityPragma.require(copy)
        let (before, after) = (try rowCounts(source), try rowCounts(copy))
        guard before == after else {
            throw LockstepError(
                .damaged, "the copy of \(source.path) does not have the original's row counts",
                advice: "run \(.verify) on the original", context: .file(source.path))
        }
        return CopyReport(pages: audit.pages, rows: after)
    }

    /// The row count of every table that stores rows itself. SQLite counts the entries of an index where there is one, and
    /// needs its collations for that.
    static func rowCounts(_ connection: borrowing Connection) throws -> [ExactText: Int] {
        do {
            return try counts(connection)
        } catch let error as LockstepError where error.context.missing?.kind == .collation {
            return try OwnCollations.lend(to: connection, isRepeated: true) { _ in try counts(connection) }
        }
    }

    private static func counts(_ connection: borrowing Connection) throws -> [ExactText: Int] {
        let names = try connection.query(
            """
            SELECT name FROM main.sqlite_schema
            WHERE type = 'table' AND rootpage > 0 AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
            """
        ) { row in try row[0] as String }
        var counts: [ExactText: Int] = [:]
        for name in names {
            counts[ExactText(name)] = try connection.value(
                "SELECT count(*) FROM main.\(name: name)")
        }
        return counts
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
