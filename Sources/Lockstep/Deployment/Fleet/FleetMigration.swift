public import SystemPackage

/// Migrates many databases with the same sets, several at a time. A file that fails does not affect the others.
///
/// Another run does only the remaining work: each file's own ledger records its versions.
///
/// Without ``safely`` each version is a separate transaction as always, but only the last sync of a file
/// makes all of its versions durable. A power loss during the run can take a file back to an earlier version,
/// with ledger and schema in step, but never a file whose result was reported. That saves one sync per version.
///
/// Each job takes one connection, with 4 MiB for pages, and one thread.
public struct FleetMigration: Sendable {
    /// How each file is migrated with a way back; see ``SafeMigration``.
    public struct Safety: Sendable {
        /// The folder for backups; nil for each database's own folder.
        public var backupFolder: FilePath?
        /// How many backups of each file to keep.
        public var keep = 3

        /// Backups beside each database, of which three are kept.
        public init() {}
    }

    /// The database files.
    public let files: [FilePath]
    /// The sets to run, in this order.
    public let sets: [MigrationSet]
    /// How far to migrate.
    public var target = Plan.Target.latest
    /// Whether a version whose file is missing may be undone as the database recorded it, which anyone with its
    /// key can have written. Works only without field keys among ``options``.
    public var recordedDown = RecordedDown.refused
    /// How many files to migrate at a time; by default as many as there are processors.
    public var jobs = Processors.count
    /// Settings for a way back for each file; nil for none.
    public var safely: Safety?
    /// How long to wait for the holder of a file's write lock.
    public var timeout = Duration.seconds(60)
    /// Functions and collations that the schemas need, and other options.
    public var options: ConnectionOptions = {
        var options = ConnectionOptions()
        options.cacheBytes = 4 * 1024 * 1024
        return options
    }()

    /// A migration of `files` by `sets`. Nothing runs yet.
    public init(of files: [FilePath], sets: [MigrationSet]) {
        self.files = files
        self.sets = sets
    }

    /// The database files that match a pattern such as `tenants/*.db`, by name.
    ///
    /// `*` matches any characters of a name except a dot at its beginning, `?` matches one character, and a
    /// component `**` matches any number of folders. Files that belong to another matching file are left out:
    /// its log, its backups, its keyrings and the like.
    /// - Throws: ``LockstepError/Code/notFound`` if no file matches.
    public static func files(matching pattern: String) throws -> [FilePath] {
        let found = try FilePattern(pattern).files()
        let names = Set(found.map { ExactText($0.string) })
        let endings = DatabaseFile.sideSuffixes + [KeyChange.copySuffix, SafeJournal.suffix]
        let files = found.filter { file in
            !endings.contains { ending in
                file.string.rest(before: ending).map { names.contains(ExactText($0)) } == true
            } && !file.string.ends(with: MigrationBackups.ending) && !KeyringFile.isBeside(file)
        }
        guard !files.isEmpty else {
            throw LockstepError(
                .notFound, "no files match \(pattern)",
                hint: "Lockstep expands the pattern, not the shell: put it in quotes, such as " + "'tenants/*.db'")
        }
        return files
    }

    /// Runs the migration. Blocks until every file is done.
    ///
    /// If `progress` throws or the task is cancelled, no further file begins, and the files in progress are rolled back
    /// to their last version, or, with ``safely``, to where they were. Their results are reported too.
    /// - Parameters:
    ///   - access: Opens a file. Called on the threads of the jobs, several at a time. An error that it throws
    ///     is that file's error.
    ///   - result: Called for each finished file, on the calling thread. An error that it throws stops the fleet, and
    ///     no further result is reported.
    ///   - progress: Called with the number of finished files, several times per second.
    /// - Throws: ``LockstepError/Code/misuse`` unless ``jobs`` is positive; ``LockstepError/Code/inputOutput`` if the
    ///   system has no thread left; at the end, `CancellationError` or the error from `result` or `progress`. The error
    ///   of a file is in its ``FleetResult``.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`") public func run(
        access: @escaping @Sendable (FilePath) throws -> DatabaseAccess,
        result: (FleetResult) throws -> Void = { _ in },
        progress: JobProgress.Handler = { _ in }
    ) throws -> FleetReport {
        var report = FleetReport()
        try run(access: access, into: &report, result: result, progress: progress)
        return report
    }

    /// The same, with a report that also counts the files of a fleet that was stopped.
    /// - Throws: The same as the form that returns the report.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`") public func run(
        access: @escaping @Sendable (FilePath) throws -> DatabaseAccess,
        into report: inout FleetReport,
        result: (FleetResult) throws -> Void = { _ in },
        progress: JobProgress.Handler = { _ in }
    ) throws {
        guard jobs > 0 else {
            throw LockstepError(.misuse, "a fleet needs at least one job", hint: "give 1 or more")
        }
        defer { report.time = report.time.ended() }
        let queue = FleetQueue(count: files.count)
        try start(queue, access)
        var stop: (any Error)?
        var isReporting = true
        func attempt(_ body: () throws -> Void) -> Bool {
            do {
                try body()
                return true
            } catch {
                stop = stop ?? error
                queue.stop()
                return false
            }
        }
        while let news = queue.next() {
            if case .finished(let one) = news {
                report.add(one)
                if isReporting { isReporting = attempt { try result(one) } }
            }
            if stop == nil {
                let count = JobProgress(.migrating, report.files, of: files.count, .files)
                _ = attempt { try count.report(to: progress) }
            }
        }
        if let stop { throw stop }
    }

    private func start(
        _ queue: FleetQueue, _ access: @escaping @Sendable (FilePath) throws -> DatabaseAccess
    ) throws(LockstepError) {
        for number in 0..<min(jobs, files.count) {
            queue.began()
            do throws(LockstepError) {
                try WorkerThread().submit { queue.work { migrate(files[$0], access, queue) } }
            } catch {
                queue.ended()
                // One thread is enough; without any, nothing would run.
                if number == 0 { throw error }
                break
            }
        }
    }

    private func migrate(
        _ file: FilePath, _ access: (FilePath) throws -> DatabaseAccess, _ queue: FleetQueue
    ) -> FleetResult {
        var result = FleetResult(file: file)
        guard queue.shouldContinue() else {
            result.wasSkipped = true
            result.error = LockstepError(
                .interrupted, "\(file) was not started: the fleet was stopped first",
                hint: "run it again: finished work is not repeated", context: .file(file))
            return result
        }
        do {
            try FleetJob(fleet: self, file: file, queue: queue).run(access, &result)
        } catch let error as LockstepError {
            result.error = error
        } catch {
            result.error = LockstepError(
                .misuse, "\(file): an error of the calling program, \(type(of: error))", context: .file(file))
        }
        result.time = result.time.ended()
        return result
    }
}

extension JobProgress.Phase {
    /// Databases are migrated, several at a time.
    public static let migrating = Self("migrating")
}
