public import SystemPackage

/// Migrates many databases with the same sets, several at a time. A file that fails does not affect the others.
///
/// Another run does only the remaining work: each file's own ledger records its versions.
///
/// Without ``safely`` each version is a transaction of its own as always, but only the last sync of a file
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
    /// Called repeatedly on the threads of the jobs, within statements too. If it returns false, no further
    /// file begins, and the files in progress are rolled back to their last version, or, with ``safely``, to
    /// where they were.
    public var shouldContinue: @Sendable () -> Bool = { true }

    /// A migration of `files` by `sets`. Nothing runs yet.
    public init(of files: [FilePath], sets: [MigrationSet]) {
        self.files = files
        self.sets = sets
    }

    /// The database files that match a pattern such as `tenants/*.db`, by name.
    ///
    /// `*` matches any characters of a name except a dot at its beginning, `?` matches one character, and a
    /// component `**` matches any number of folders. Files that belong to another matching file are left out:
    /// its log, its backups and the like.
    /// - Throws: ``LockstepError/Code/notFound`` if no file matches.
    public static func files(matching pattern: String) throws -> [FilePath] {
        let found = try FilePattern(pattern).files()
        let names = Set(found.map(\.string))
        let files = found.filter { file in
            !["-wal", "-shm", "-journal", ".rotating", ".safe-migration"].contains { ending in
                file.string.hasSuffix(ending)
                    && names.contains(String(file.string.dropLast(ending.count)))
            } && !file.string.hasSuffix(MigrationBackups.ending)
        }
        guard !files.isEmpty else {
            throw LockstepError(
                .notFound, "no files match \(pattern)",
                hint: "Lockstep expands the pattern, not the shell: put it in quotes, such as "
                    + "'tenants/*.db'")
        }
        return files
    }

    /// Runs the migration. Blocks until every file is done.
    /// - Parameters:
    ///   - access: Opens a file. Called on the threads of the jobs, several at a time. An error that it throws
    ///     is that file's error.
    ///   - report: Called for each finished file, on the calling thread. An error that it throws stops the fleet
    ///     as ``shouldContinue`` does, and is thrown at the end.
    public func run(
        access: @escaping @Sendable (FilePath) throws -> DatabaseAccess,
        report: (FleetResult) throws -> Void = { _ in }
    ) throws -> FleetReport {
        guard jobs > 0 else {
            throw LockstepError(.misuse, "a fleet needs at least one job", hint: "give 1 or more")
        }
        var total = FleetReport()
        let queue = FleetQueue(count: files.count)
        let fleet = self
        var workers: [WorkerThread] = []
        do {
            for _ in 0..<min(jobs, files.count) {
                let worker = WorkerThread()
                queue.began()
                do {
                    try worker.submit {
                        queue.work { fleet.migrate(fleet.files[$0], access, queue) }
                    }
                } catch {
                    queue.ended()
                    // One thread is enough; without any, nothing would run.
                    if workers.isEmpty { throw error }
                    break
                }
                workers.append(worker)
            }
        }
        var failure: (any Error)?
        while let result = queue.next() {
            total.add(result)
            do {
                if failure == nil { try report(result) }
            } catch {
                failure = error
                queue.stop()
            }
        }
        total.time = total.time.ended()
        if let failure { throw failure }
        return total
    }

    private func migrate(
        _ file: FilePath, _ access: (FilePath) throws -> DatabaseAccess, _ queue: FleetQueue
    ) -> FleetResult {
        var result = FleetResult(file: file)
        guard shouldContinue(), !queue.isStopped else {
            result.wasSkipped = true
            result.error = LockstepError(
                .interrupted, "\(file) was not started: the fleet was stopped first",
                hint: "run it again: finished work is not repeated")
            return result
        }
        do {
            try FleetJob(fleet: self, file: file) { self.shouldContinue() && !queue.isStopped }
                .run(access, &result)
        } catch let error as LockstepError {
            result.error = error
        } catch {
            result.error = LockstepError(
                .misuse, "\(file): an error of the calling program, \(type(of: error))")
        }
        result.time = result.time.ended()
        return result
    }
}
