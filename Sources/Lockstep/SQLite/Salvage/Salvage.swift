public import SystemPackage

/// Recovers what is readable from a damaged database into a new one.
///
/// Salvage works on pages and not through SQL, which fails if a root or an interior page cannot be read. Every
/// page whose MAC verifies yields its rows, whether anything still leads to it or not. The damaged file is
/// never written, and none of its content reaches the disk unencrypted.
///
/// No row comes into a table that it was not in. Pages that nothing leads to are attributed by their content only where
/// a single table can have them and the schema is complete, in the file or with ``schema``. All other rows are in a
/// table `lost_and_found`, with their page and their place in it, and so are those that their table does not take.
///
/// If opening has set a damaged log aside, with a copy of the database (``SetAsideLog``), the rows there that the
/// database lacks are added, under whichever key of its keyring. Rows that were deleted since then can be among them.
///
/// Reads every page about three times. Needs as much disk space as the rows take, and the same again for the largest
/// table while it is copied. Nothing must write to the damaged file meanwhile. An undamaged file is copied. If the new
/// key is from a keyring's file, no key of it can be destroyed meanwhile.
public struct Salvage: Sendable {
    /// The damaged file.
    public let damaged: FilePath
    /// The path of the new database.
    public let new: FilePath
    /// The CREATE statements of the whole schema, for the parts of it that cannot be read. If there are any, pages
    /// whose table is unknown are attributed by their content.
    public var schema: [String]
    /// The settings of a damaged SQLCipher file of another program. Without, those of each version and the changes that
    /// programs usually make to them are tried.
    public var settings: SQLCipherSettings?

    /// A salvage of `damaged` into a new database at `new`. Nothing runs yet.
    public init(_ damaged: FilePath, into new: FilePath, schema: [String] = []) {
        self.damaged = damaged
        self.new = new
        self.schema = schema
    }

    /// Salvages a database under `key`. Blocks.
    /// - Parameters:
    ///   - key: The key of the damaged file.
    ///   - newKey: The key of the new database.
    ///   - progress: Called with the numbers of examined pages and of copied rows, and when a phase begins.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at ``new``; ``LockstepError/Code/damaged`` if
    ///   no page verifies; ``LockstepError/Code/busy`` if the file was written to; ``LockstepError/Code/locked`` if
    ///   somebody is destroying a key for longer than ``FileLockWait`` allows; otherwise the errors that ``Diagnosis``
    ///   reports; `CancellationError`; any error from `progress`. If it throws, it leaves no file.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`") package func run(
        key: borrowing DatabaseKey, newKey: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> SalvageReport {
        try run(
            key: key, newKey: newKey, placing: Self.rename, progress: progress)
    }

    private static func rename(_ file: FilePath, _ rename: () throws -> Void) throws {
        try rename()
    }

    /// The same, with a step around the moment in which the new database gets its name.
    /// - Parameters:
    ///   - keyOfCopy: Returns the key of a copy that was set aside, which need not be that of the database any more; nil
    ///     if no other is known to fit.
    ///   - strays: Copies that were set aside when the database had another name.
    ///   - placing: Called with the finished file, and with what gives it its name.
    func run(
        key: borrowing DatabaseKey, newKey: borrowing DatabaseKey,
        keyOfCopy: (FilePath) throws -> DatabaseKey? = { _ in nil }, strays: [FilePath] = [],
        placing: (FilePath, () throws -> Void) throws -> Void, progress: JobProgress.Handler
    ) throws -> SalvageReport {
        try PendingDatabase.requireFree(new)
        let diagnosis = try Diagnosis.examine(damaged, key: key)
        var salt = try DatabaseFile(damaged).read(at: 0, DatabaseKey.saltLength)
        switch diagnosis {
        case .keyFits, .firstPageDamaged(saltDestroyed: false), .destroyed: break
        case .firstPageDamaged(saltDestroyed: true): salt = key.salt
        default: throw diagnosis.error(damaged) ?? nothingVerifies
        }
        let source = try PageSource(damaged, key: key.secret.clone(), salt: salt)
        let copies = try (SetAsideLog.copies(of: damaged) + strays).map { copy in
            if let own = try keyOfCopy(copy) { return try PageSource(copy, key: own.secret.clone(), salt: own.salt) }
            return try PageSource(copy, key: key.secret.clone(), salt: salt)
        }
        return try run(source, copies, newKey, placing, progress) { diagnosis }
    }

    /// The same for a database of SQLCipher 1, 2, 3 or 4 under a passphrase. Costs one key derivation, about 0.3 s, and
    /// for an older version up to four more. Version 1 has no MACs: what is garbled there is noticed only if it is no
    /// row.
    /// - Throws: The same as with a key; ``LockstepError/Code/wrongKey``; ``LockstepError/Code/otherSettings`` if the
    ///   passphrase fits with other ``settings``.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`") package func run(
        passphrase: borrowing Passphrase, newKey: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> SalvageReport {
        try run(ForeignKey(passphrase), newKey, progress)
    }

    /// The same for a database of SQLCipher under a raw key.
    /// - Throws: The same as with a passphrase.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`") package func run(
        rawKey: borrowing RawKey, newKey: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> SalvageReport {
        try run(ForeignKey(rawKey), newKey, progress)
    }

    private func run(
        _ key: ForeignKey, _ newKey: borrowing DatabaseKey, _ progress: JobProgress.Handler
    ) throws -> SalvageReport {
        try PendingDatabase.requireFree(new)
        let profile = settings?.profile ?? .current
        let start = try DatabaseFile(damaged).read(at: 0, DatabaseKey.saltLength)
        let known = key.salt ?? settings?.salt ?? (profile.plaintextHeader > 0 ? nil : start)
        // All pages count, and not only a sample, if they have MACs.
        if profile.authenticates, let salt = known, salt.count == DatabaseKey.saltLength {
            let source = try source(key, ForeignSettings(profile: profile, salt: salt))
            if try SalvageRun.hasPages(source) {
                return try run(source, [], newKey, Self.rename, progress) { .destroyed }
            }
        }
        let found = try ForeignSettings.find(damaged, key, given: settings, isDamaged: true)
        return try run(source(key, found), [], newKey, Self.rename, progress) { .destroyed }
    }

    private func source(_ key: ForeignKey, _ found: ForeignSettings) throws -> PageSource {
        try PageSource(
            damaged, key: key.secret(found.profile, salt: found.salt), salt: found.salt, profile: found.profile)
    }

    /// The same for a plaintext SQLite database. Its pages have no MACs: what is garbled there is noticed only if it is
    /// no row, or one that its table cannot have.
    /// - Throws: The same as with a key; ``LockstepError/Code/malformedInput`` for a file that is not plaintext SQLite.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    package func runPlaintext(
        newKey: borrowing DatabaseKey, progress: JobProgress.Handler = { _ in }
    ) throws -> SalvageReport {
        try PendingDatabase.requireFree(new)
        guard case .plaintext = try Diagnosis.examinePlaintext(damaged) else {
            throw LockstepError(
                .malformedInput, "\(damaged) is not a plaintext SQLite database",
                hint: "if it is encrypted, give its passphrase or key", context: .file(damaged))
        }
        return try run(PageSource(plaintext: damaged), [], newKey, Self.rename, progress) {
            .destroyed
        }
    }

    /// - Parameter diagnosis: Called if no page verifies.
    private func run(
        _ source: PageSource, _ copies: [PageSource], _ newKey: borrowing DatabaseKey,
        _ placing: (FilePath, () throws -> Void) throws -> Void,
        _ progress: JobProgress.Handler, _ diagnosis: () throws -> Diagnosis
    ) throws -> SalvageReport {
        try newKey.whileUsed {
            try withoutActuallyEscaping(progress) { progress in
                let run = SalvageRun(source) { try $0.report(to: progress) }
                guard try run.examine() else {
                    throw try diagnosis().error(damaged) ?? nothingVerifies
                }
                let additions = copies.map {
                    SalvageRun($0, isAddition: true) { try $0.report(to: progress) }
                }
                return try run.salvage(into: new, newKey, known: schema, additions, placing)
            }
        }
    }

    private var nothingVerifies: LockstepError {
        LockstepError(
            .damaged, "no page of \(damaged) verifies",
            hint: "restore it from a backup", context: .file(damaged))
    }
}

extension SalvageRun {
    /// Fills a database beside `new`, checks it, and renames it to `new`.
    fileprivate func salvage(
        into new: FilePath, _ key: borrowing DatabaseKey, known: [String],
        _ additions: [SalvageRun], _ placing: (FilePath, () throws -> Void) throws -> Void
    ) throws -> SalvageReport {
        let schema = try readSchema(known: known)
        let pending = try PendingDatabase(for: new, creating: false)
        try fill(pending.path, key, schema, additions)
        try check(pending.path, key, schema, additions)
        try source.requireUnchanged()
        try placing(pending.path) { try pending.place() }
        report.time = report.time.ended()
        return report
    }

    private func fill(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ schema: SavedSchema,
        _ additions: [SalvageRun]
    ) throws {
        let target = try SalvageTarget(creating: path, key, longest: longest(additions))
        let plan = try plan(schema, target)
        try copyRows(plan, target)
        reportRemainder(plan)
        for addition in additions { try add(addition, to: target) }
        try progress(JobProgress(.building))
        try makeRest(schema, target)
        if let version = schema.userVersion {
            // Migration runners read from it how far the schema has come.
            try target.connection.setHeaderField("user_version", Int64(version))
        }
        try target.checkpoint()
    }

    /// Adds the rows of a copy that the new database lacks.
    private func add(_ addition: SalvageRun, to target: SalvageTarget) throws {
        var found = SalvageReport.SetAside(copy: addition.source.path)
        if try addition.examine() {
            let schema = try addition.readSchema(known: [])
            try addition.copyRows(addition.plan(schema, target), target)
            found.rows = addition.report.tables.reduce(0) { $0 + $1.rows }
            found.lostAndFound = addition.report.lostAndFound
        } else {
            found.isUnreadable = true
        }
        report.setAside.append(found)
    }

    /// The bytes of the longest value that the files can hold, in another encoding, too.
    private func longest(_ additions: [SalvageRun]) throws -> Int {
        let files = ([self] + additions).flatMap { run in
            ["", "-wal"].map { DatabaseFile.side($0, of: run.source.path) }
        }
        let bytes = try files.reduce(0) { sum, file in
            try sum + (FileAccess.exists(file) ? FileAccess.sizeOfRegularFile(file) : 0)
        }
        return max(1 << 20, 2 * bytes)
    }

    private func check(
        _ path: FilePath, _ key: borrowing DatabaseKey, _ schema: SavedSchema, _ additions: [SalvageRun]
    ) throws {
        try progress(JobProgress(.verifying))
        try finish(SalvageTarget(opening: path, key, longest: longest(additions)), schema)
        let audit = try PageAudit(path).run(key: key)
        guard audit.isClean else {
            throw LockstepError(
                .damaged, "pages of the new database \(path) do not verify",
                hint: "check the disk, and run the salvage again", context: .file(path))
        }
    }

    private func finish(_ target: SalvageTarget, _ schema: SavedSchema) throws {
        try mendVirtualTables(schema, target)
        do {
            report.orphans = try target.orphans()
        } catch let error as LockstepError where error.code == .sqlFailed {
            fail("a foreign key", error)
        }
        report.failures += try target.contentProblems().map {
            SalvageReport.Failure(object: "content", reason: $0)
        }
        do {
            try FileRole.copy.record(in: target.connection)
        } catch let error as LockstepError where error.code == .tampered {
            fail(EngineTables.epochs, error)
        }
        try target.checkpoint()
    }
}

extension JobProgress.Phase {
    /// Indexes, views and triggers are created.
    public static let building = Self("building")
    /// The result is checked.
    public static let verifying = Self("verifying")
}
