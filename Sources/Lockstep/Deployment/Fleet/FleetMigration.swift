public import SystemPackage

/// Migrates many databases by the same sets, several at a time. One that fails leaves the others alone.
///
/// Run again, it does only what is left: which versions a file has is in its own ledger.
///
/// Without ``safely`` each version is a transaction of its own as always, but only the last sync of a file
/// makes all of its versions last: a loss of power in the midst may take a file back to an earlier version,
/// with ledger and schema in step, and never one whose result was told. That saves a sync a version.
///
/// Takes one connection, with 4 MiB for pages, and one thread a job.
public struct FleetMigration: Sendable {
    /// How each file is migrated with a way back; see ``SafeMigration``.
    public struct Safety: Sendable {
        /// Where backups are made; nil for each database's own folder.
        public var backupFolder: FilePath?
        /// How many backups of each file stay.
        public var keep = 3

        /// Backups beside each database, of which three stay.
        public init() {}
    }

    /// The database files.
    public let files: [FilePath]
    /// The sets to run, in this order.
    public let sets: [MigrationSet]
    /// How far to go.
    public var target = Plan.Target.latest
    /// Whether a version whose file is gone may be undone as the database recorded it, which anyone with its key can
    /// have written. Only without field keys among ``options``.
    public var recordedDown = RecordedDown.refused
    /// How many files are worked on at a time; as many as there are processors unless said otherwise.
    public var jobs = Processors.count
    /// With a way back for each file; nil for none.
    public var safely: Safety?
    /// How long to wait for whoever holds a file's write lock.
    public var timeout = Duration.seconds(60)
    /// Functions and collations that the schemas need, and the like.
    public var options: ConnectionOptions = {
        var options = ConnectionOptions()
        options.cacheBytes = 4 * 1024 * 1024
        return options
    }()
    /// Asked again and again on the threads of the jobs, within statements too; false has no further file
    /// begun, and those under way rolled back to their last version, or safely to where they were.
    public var goOn: @Sendable () -> Bool = { true }

    /// A migration of `files` by `sets`. Nothing is done yet.
    public init(of files: [FilePath], sets: [MigrationSet]) {
        self.files = files
        self.sets = sets
    }

    /// The database files that a pattern such as `tenants/*.db` stands for, by name.
    ///
    /// `*` stands for any characters of a name but a dot at its beginning, `?` for one, a component `**` for
    /// any number of folders. Left out are files that belong to another one that is found: its log, its
    /// backups and the like.
    /// - Throws: ``LockstepError/Code/notFound`` if there is none.
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
                .notFound, "there are no files \(pattern)",
                hint: "the pattern is expanded here, not by the shell: put it in quotes, such as "
                    + "'tenants/*.db'")
        }
        return files
    }

    /// Runs it. Blocks until every file is done.
    /// - Parameters:
    ///   - access: Opens a file; called on the threads of the jobs, several at a time. What it throws is that
    ///     file's error.
    ///   - tell: Is told of each file as it is done, on the thread that called this; what it throws stops the
    ///     fleet as ``goOn`` does, and is thrown at the end.
    public func run(
        access: @escaping @Sendable (FilePath) throws -> DatabaseAccess,
        tell: (FleetResult) throws -> Void = { _ in }
    ) throws -> FleetReport {
        guard jobs > 0 else {
            throw LockstepError(.misuse, "a fleet needs at least one job", hint: "give 1 or more")
        }
        let start = Clock.monotonicMicroseconds
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
                    // One is enough; without any there is nobody to do the work.
                    if workers.isEmpty { throw error }
                    break
                }
                workers.append(worker)
            }
        }
        var report = FleetReport()
        var failure: (any Error)?
        while let result = queue.next() {
            report.add(result)
            do {
                if failure == nil { try tell(result) }
            } catch {
                failure = error
                queue.stop()
            }
        }
        report.duration = Clock.monotonicMicroseconds - start
        if let failure { throw failure }
        return report
    }

    private func migrate(
        _ file: FilePath, _ access: (FilePath) throws -> DatabaseAccess, _ queue: FleetQueue
    ) -> FleetResult {
        var result = FleetResult(file: file)
        guard goOn(), !queue.isStopped else {
            result.wasSkipped = true
            result.error = LockstepError(
                .interrupted, "\(file) was not begun: the fleet was stopped before",
                hint: "run it again: what is done is not done twice")
            return result
        }
        let start = Clock.monotonicMicroseconds
        do {
            try FleetJob(fleet: self, file: file) { self.goOn() && !queue.isStopped }
                .run(access, &result)
        } catch let error as LockstepError {
            result.error = error
        } catch {
            result.error = LockstepError(
                .misuse, "\(file): an error of the program's own, \(type(of: error))")
        }
        result.duration = Clock.monotonicMicroseconds - start
        return result
    }
}
