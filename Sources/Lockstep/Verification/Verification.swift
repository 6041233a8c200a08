public import SystemPackage

/// Proves that a database is what it should be: encrypted, whole, and of the schema that its migrations
/// make. Reads only.
///
/// The checks run on all processors, several at once; together they take about the time of the longest,
/// which in large files is SQLite's own check. They write no plaintext anywhere.
public struct Verification {
    /// The file to verify.
    let path: FilePath
    /// The migration sets that the database may carry.
    let sets: [MigrationSet]

    /// The keyring's file, whose permissions are looked at.
    public var keyringFile: FilePath?
    /// Options whose functions and collations the schema needs; their other settings are not used.
    public var schema = ConnectionOptions()
    /// Also take an encrypted copy down as far as its ways down lead, and up again. Takes free space of
    /// twice the database's size in its folder, and about the time of a backup and of the migrations.
    public var isDeep = false
    /// Who must have signed the manifest that the database carries, known from elsewhere. Nil if nobody need
    /// have: one that is there is then a notice.
    public var publisher: Publisher?
    /// The identifier of the dataset whose manifest it is; nil for each that the database names.
    public var dataset: [UInt8]?
    /// Bytes of memory for pages, at the most. SQLite's own check jumps about in indexes: with less than
    /// the largest of them takes, it needs several times as long.
    public var cacheBytes = 256 * 1024 * 1024

    /// When the run must have ended: it then ends with ``LockstepError/Code/limitExceeded``. Noticed some times
    /// a second; nil for as long as it takes.
    public var deadline: ContinuousClock.Instant?

    /// How many cells of each column to open, spread over its rows; nil for all of them.
    public var cellSample: Int?

    /// The keys of datasets whose cells are to be opened. Without them it is told which columns say that they are
    /// sealed.
    public var fieldKeys: [FieldKeys] {
        get { schema.fieldKeys }
        set { schema.fieldKeys = newValue }
    }

    /// A verification of the database at `path` against `sets`.
    public init(_ path: FilePath, sets: [MigrationSet]) {
        self.path = path
        self.sets = sets
    }

    /// Runs every check that needs no keyring.
    ///
    /// A check that cannot be carried out, such as drift in a file whose pages are damaged, is a failure
    /// of that check and not of the run.
    /// - Parameter progress: Told, on this thread, what goes on; also asked some times a second while
    ///   nothing new happens. An error that it throws ends the run.
    /// - Throws: ``LockstepError`` if there is no such database, or the key does not fit; what `progress`
    ///   throws.
    public func run(
        key: borrowing DatabaseKey, progress: (VerificationProgress) throws -> Void = { _ in }
    ) throws -> VerificationReport {
        try run(key, nil, nil, progress)
    }

    /// Runs every check, also whether the file and its keyring are of one time and the keys fit for use.
    ///
    /// A file under a key that was retired is verified, too, and is an older copy: that fails.
    /// - Throws: as ``run(key:progress:)``; ``LockstepError/Code/keyringMismatch`` for a keyring of another
    ///   purpose.
    public func run(
        keyring: borrowing Keyring, progress: (VerificationProgress) throws -> Void = { _ in }
    ) throws -> VerificationReport {
        let age = try FreshnessCheck(keyring, of: path)
        return try run(
            keyring.databaseKey(version: age.key.version), age, keyring.summary, progress)
    }

    private func run(
        _ key: borrowing DatabaseKey, _ age: FreshnessCheck?, _ keyring: KeyringSummary?,
        _ progress: (VerificationProgress) throws -> Void
    ) throws -> VerificationReport {
        let start = Clock.monotonicMicroseconds
        let diagnosis = try Diagnosis.examine(path, key: key)
        if let error = diagnosis.error(path), error.code != .damaged { throw error }
        let sideFiles = try VerificationReport.Outcome.of(.sideFiles) {
            try SideFilesCheck.run(path)
        }
        if let obstacle = sideFiles.obstacle, obstacle.code == .busy { throw obstacle }
        var report = VerificationReport()
        report.outcomes = [
            try .of(.library) { try LibraryCheck.run() },
            try .of(.encryption) { try CiphertextCheck.run(path, key) },
            // Before a connection is opened, which has files of its own beside the database.
            try .of(.permissions) { try PermissionsCheck.run(path, keyring: keyringFile) },
            sideFiles,
        ]
        try withoutActuallyEscaping(progress) { progress in
            let teller = ProgressTeller { news in
                try requireTime()
                try progress(news)
            }
            report.outcomes += try SimultaneousChecks(self, age).run(key, teller)
            guard isDeep else { return }
            let isSound = !report.outcomes.contains { $0.hasFailed && $0.check.isOfFile }
            report.outcomes += try roundTrip(key, isSound: isSound, teller)
        }
        if let keyring {
            report.outcomes.append(try .of(.keyring) { KeyringCheck.run(keyring) })
        }
        let order = VerificationReport.Check.allCases
        report.outcomes.sort {
            order.firstIndex(of: $0.check) ?? 0 < order.firstIndex(of: $1.check) ?? 0
        }
        report.duration = Clock.monotonicMicroseconds - start
        return report
    }

    private func requireTime() throws(LockstepError) {
        guard let deadline, ContinuousClock.now >= deadline else { return }
        throw LockstepError(
            .limitExceeded, "the time limit is over, and the verification was given up",
            hint: "raise the limit: --timeout, in a program Verification.deadline")
    }

    private func roundTrip(
        _ key: borrowing DatabaseKey, isSound: Bool, _ teller: ProgressTeller
    ) throws -> [VerificationReport.Outcome] {
        let desk = CheckCoordinator()
        let key = SharedSecret(try key.clone())
        let (path, sets, schema) = (path, sets, schema)
        try desk.start { desk in
            let check = RoundTripCheck(path: path, sets: sets, schema: schema, desk: desk)
            try desk.run(.roundTrip) { try check.run(key.value, isSound: isSound) }
        }
        return try desk.finish(teller)
    }
}

extension VerificationReport.Check {
    /// Whether the check is of the file and its pages, and not of what they hold.
    var isOfFile: Bool {
        switch self {
        case .encryption, .profile, .sideFiles, .pages, .integrity: true
        case .library, .permissions, .foreignKeys, .references, .objects, .ledger, .drift,
            .registry, .cells,
            .manifest, .age, .keyring, .roundTrip:
            false
        }
    }
}
