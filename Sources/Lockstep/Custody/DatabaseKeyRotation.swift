public import SystemPackage

/// Changes the key of a database by replacing the database with a verified copy.
///
/// It never uses `PRAGMA rekey`: when the disk is full or fails, that reports success and destroys the file with the
/// next write. Here, a kill, a failed write or a power loss at any instant leaves a file with all its rows that opens
/// with exactly one of the old and the new key; ``Keyring/databaseKey(for:)`` finds out which. If the rotation runs
/// again, it finishes or restarts.
///
/// The steps are:
///
/// 1. Locks beside the keyring and the database exclude who would destroy the keyring's keys, and other jobs that
///    replace the database; see ``FileLockWait``. Their files, `.<name>.custody` among them, remain afterwards.
/// 2. The database must pass verification and must not be in use. Its log is checkpointed, and the database stays
///    locked until the copy has its name.
/// 3. The new key is recorded in the keyring as pending.
/// 4. The database is copied to `<name>.rotating` with the new key, page by page, and the copy is verified. Then the
///    copy records the epoch that the keyring will have at the end: see ``Keyring/remember(in:)``.
/// 5. The copy takes the database's name, owner and permissions.
/// 6. The keyring activates the new key and retires the old one.
///
/// In the last two nobody else can change the keyring. If a rotation of another of its databases has given the new key
/// up meanwhile, this one begins again.
///
/// The rotation writes the database once, reads it four times and the copy five times, and needs free space of the
/// database's size and a sixteenth more. A new passphrase or another slot needs none of this: slots wrap the keyring's
/// keys, and the database key stays the same.
///
/// The new key is the file's own, with a salt of its own, also if the file shared its key with others before.
///
/// Backups keep the key that they were made with: ``Keyring/databaseKey(ofBackup:)``.
public struct DatabaseKeyRotation: Sendable {
    /// The reason for the key change.
    public enum Reason: Sendable {
        /// Routine rotation: the old key is retired and still opens backups.
        case routine
        /// Others may know the old key: it is marked as compromised. An active key cannot be marked otherwise, because
        /// a keyring always needs an active key.
        case compromise
    }

    /// The database file.
    public let database: FilePath
    /// The file of its keyring.
    package internal(set) var keyringFile: KeyringFile
    /// The reason for the key change.
    public var reason: Reason
    /// Connection options, used only for the functions and collations that the schema needs.
    public var options = ConnectionOptions()

    /// Returns the free space on the disk of a folder; tests replace it.
    var freeSpace: @Sendable (FilePath) throws -> Int? = { try FileAccess.freeSpace(in: $0) }

    /// Prepares a rotation of the key of `database`, which `keyring` opens, without running it.
    package init(
        of database: FilePath, keyring keyringFile: KeyringFile, reason: Reason = .routine
    ) {
        self.database = database
        self.keyringFile = keyringFile
        self.reason = reason
    }

    /// Runs the rotation. Blocks.
    ///
    /// If an earlier rotation was interrupted after the new file took its place, this finishes it without copying. If
    /// the content of the keyring itself was exposed, run the rotation again then: the pending key was in the keyring
    /// too.
    /// - Parameters:
    ///   - keyring: The keyring as opened from ``keyringFile``; afterwards its newest version. After an error, open it
    ///     again.
    ///   - progress: Called with the number of copied pages. If it throws, or if the task is cancelled, the database is
    ///     unchanged.
    /// - Throws: ``LockstepError/Code/busy`` if any connection has the database open, including in this process;
    ///   ``LockstepError/Code/locked`` if another rotation runs; ``LockstepError/Code/full``;
    ///   ``LockstepError/Code/keyringConflict`` for a keyring that is signed;
    ///   ``LockstepError/Code/keyringChanged`` for one whose ring was changed in the meantime;
    ///   ``LockstepError/Code/keyringMismatch`` for one of another purpose;
    ///   ``LockstepError/Code/keyringOutdated`` for an old copy of the keyring;
    ///   ``LockstepError/Code/keyUnavailable`` for a file with a key that is no longer in use;
    ///   ``LockstepError/Code/misuse`` for a copy of the database, such as a backup;
    ///   ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged``: a damaged database is not copied;
    ///   ``LockstepError/Code/alreadyExists`` if a file named `<name>.rotating` is not from a rotation;
    ///   `CancellationError`; any error from `progress`.
    @available(*, noasync, message: "this blocks the thread: use `try await JobThread.run { … }`")
    @discardableResult
    package func run(
        _ keyring: inout Keyring, progress: JobProgress.Handler = { _ in }
    ) throws -> KeyRotationReport {
        let time = JobTime()
        var report = try runOrFinish(&keyring, progress)
        report.time = time.ended()
        return report
    }

    private func runOrFinish(
        _ keyring: inout Keyring, _ progress: JobProgress.Handler
    ) throws -> KeyRotationReport {
        try keyring.requireDatabasePurpose()
        try keyring.requireUnsigned()
        try Diagnosis.requireDatabase(database)
        let use = try UseLock(keyringFile.path)
        let lock = try CustodyLock(database)
        // Programs of before 2026-11 know no other.
        let earlier = try FileLockWait.current.lock(lockPath, as: .custody)
        defer {
            _ = use
            _ = lock
            _ = earlier
        }
        try requireNoMigration()
        try keyringFile.reread(&keyring)
        let standing = try keyring.standingKey(of: database)
        if standing.state == .pending { return try finish(standing, &keyring) }
        try removeLeftover(keyring)
        for _ in 0..<Self.attempts {
            do {
                if let report = try replaceFile(&keyring, progress) { return report }
                try keyringFile.reread(&keyring)
            } catch let error as LockstepError where error.code == .keyringOutdated {
                // Somebody has just changed the keyring and noted that in the database.
                guard try keyringFile.reread(&keyring) else { throw error }
            }
        }
        throw LockstepError(
            .busy, "the keys of \(keyringFile.path) have changed \(Self.attempts) times meanwhile",
            hint: "run it again once nobody changes the keyring", context: .file(keyringFile.path))
    }

    private static let attempts = 3

    /// The backups of a safe migration have the old key.
    private func requireNoMigration() throws {
        guard
            !FileAccess.exists(FilePath(database.string + CustodyLock.unfinishedMigration))
        else {
            throw LockstepError(
                .busy, "a safe migration of \(database) was killed, and needs its key",
                hint: "run the safe migration again, which finishes it", context: .file(database))
        }
    }

    // MARK: Steps

    /// The old file's lock is released at the end, when the new file has its name.
    /// - Returns: Nil if somebody has given up the new key meanwhile. Then the file is the old one.
    private func replaceFile(
        _ keyring: inout Keyring, _ progress: JobProgress.Handler
    ) throws -> KeyRotationReport? {
        let replaced = try keyring.standingKey(of: database).version
        let old = try keyring.databaseKey(for: database)
        var known: [UInt8]?
        let change = try begin(old, keyring) { known = $0 }
        try change.requireSpace(freeSpace)
        let version = try recordPending(&keyring)
        // A file that the keyring does not record could not be found again under a key of its own.
        let recorded = known.flatMap { keyring.record(of: $0)?.database }
        let key = try keyring.newFileKey(of: recorded, keyring.entry(of: version))
        let new = try keyring.databaseKey(key)
        let exact = try change.copy(from: old, to: new) { try $0.report(to: progress) }
        try Task.checkCancellation()
        let epoch = keyring.epoch + 1
        var id: [UInt8]?
        let copy = try change.amend(exact, key: new) { connection in
            try keyring.remember(epoch: epoch, in: connection)
            id = try KeyringTable.database(connection)
        }
        var report: KeyRotationReport?
        do {
            try keyringFile.update(&keyring) { keyring in
                // While the copy was made, another database of the keyring can have got another key.
                guard try keyring.isUsable(version) else { throw KeyIsGivenUp() }
                try change.replace(with: copy)
                let old = try promote(key, replacing: replaced, id, &keyring)
                report = KeyRotationReport(oldVersion: old, newVersion: version, copy: copy.report)
            }
        } catch is KeyIsGivenUp {
            return nil
        }
        return report
    }

    private struct KeyIsGivenUp: Error {}

    /// Recording the new key raises the keyring's epoch, and the old file can lack that one step. If it lacks
    /// more, for example after an interrupted rotation, it is brought up to date first.
    private func begin(
        _ old: borrowing DatabaseKey, _ keyring: borrowing Keyring, _ identified: ([UInt8]?) -> Void
    ) throws -> KeyChange {
        try KeyChange.begin(database, key: old, schema: options) { connection in
            try requireNoCopy(connection)
            if try keyring.isKnown(in: connection) { try keyring.remember(in: connection) }
            identified(try KeyringTable.database(connection))
        }
    }

    /// The keyring records one key for the database and its copies: a new one for a copy would lock the database out.
    private func requireNoCopy(_ connection: borrowing Connection) throws {
        guard try KeyringTable.read(connection).role == .copy else { return }
        throw LockstepError(
            .misuse, "\(database) is a copy of its database, which alone can get another key",
            advice: """
                change the key of the database itself, and make a new copy; to use this one in its place, restore it \
                with \(.restore); to make it a database of its own, use \(.fork)
                """,
            context: .file(database))
    }

    /// A key that is already pending was recorded by an earlier rotation, whose copy has been removed, or by one of
    /// another database of the keyring.
    private func recordPending(_ keyring: inout Keyring) throws -> UInt32 {
        for _ in 1..<Self.attempts {
            do {
                return try recordPendingOnce(&keyring)
            } catch let error as LockstepError where error.code == .keyringChanged {
                try keyringFile.reread(&keyring)
            }
        }
        return try recordPendingOnce(&keyring)
    }

    private func recordPendingOnce(_ keyring: inout Keyring) throws -> UInt32 {
        var version: UInt32 = 0
        try keyring.change(in: keyringFile) { keyring in
            let isFresh = reason == .compromise
            let isUsed = try isFresh && recordPendingKeys(&keyring)
            version = try keyring.nextDatabaseKey(isFresh: isFresh, leaving: isUsed ? .compromised : .destroyed)
        }
        return version
    }

    /// Records the databases that have a pending key already, since their rotations were interrupted: the key is given
    /// up, and such a database opens only while the keyring records it under the key.
    /// - Returns: Whether there are such databases, or some that are not where they were seen or cannot be read, so
    ///   that nobody knows.
    /// - Throws: ``LockstepError/Code/busy`` while somebody works on one that has such a key.
    private func recordPendingKeys(_ keyring: inout Keyring) throws -> Bool {
        var isUsed = false
        for record in keyring.document.files {
            guard let path = try keyringFile.place(of: record), FileAccess.exists(path) else {
                isUsed = true
                continue
            }
            do {
                let key = try KeySearch.key(of: path, keyring)
                // Of a file that no key fits, nobody knows which it had.
                isUsed = isUsed || key == nil || key?.state == .pending
                guard let key, key.state == .pending else { continue }
                try keyring.relist(identity(of: path, key, keyring), under: key)
            } catch let error as LockstepError where error.code != .busy {
                // A key that others may know is replaced all the same.
                isUsed = true
            }
        }
        return isUsed
    }

    /// - Parameters:
    ///   - replaced: The key that the file had; nil for the one that the keyring records, or the active one.
    ///   - id: The id of the database.
    /// - Returns: The replaced version.
    private func promote(
        _ key: FileKey, replacing replaced: UInt32? = nil, _ id: [UInt8]?, _ keyring: inout Keyring
    ) throws -> UInt32 {
        let version = key.version
        let recorded = id.flatMap { keyring.record(of: $0)?.keyVersion }
        try keyring.relist(id, under: key)
        return try keyring.promoteDatabaseKey(
            version, replacing: replaced ?? (recorded == version ? nil : recorded),
            leaving: reason == .compromise ? .compromised : .retired)
    }

    /// The id of a database that has this key.
    private func identity(
        of path: FilePath, _ key: FileKey, _ keyring: borrowing Keyring
    ) throws -> [UInt8]? {
        var reading = options.ofSchema
        reading.isQueryOnly = true
        return try KeyringTable.database(Connection.open(path, key: keyring.databaseKey(key), options: reading))
    }

    /// The file already has the pending key: only the keyring must be updated.
    private func finish(
        _ key: FileKey, _ keyring: inout Keyring
    ) throws -> KeyRotationReport {
        try catchUp(key, keyring)
        // The interrupted rotation may not have synced the folder. Once the old key is retired, a power loss must not
        // bring the old file back.
        try AtomicFile.syncFolder(of: database)
        try removeLeftover(keyring)
        let id = try identity(of: database, key, keyring)
        var old: UInt32 = 0
        try keyring.change(in: keyringFile) { old = try promote(key, id, &$0) }
        return KeyRotationReport(oldVersion: old, newVersion: key.version, copy: nil)
    }

    /// The file usually records the epoch that the keyring is about to have. It has an older epoch if the keyring was
    /// changed after the interruption.
    private func catchUp(_ found: FileKey, _ keyring: borrowing Keyring) throws {
        let key = try keyring.databaseKey(found)
        let epoch = keyring.epoch + 1
        var reading = options.ofSchema
        reading.isQueryOnly = true
        let isBehind: Bool
        do {
            // A salt of sixteen bytes is easy to forge; a page that verifies is not.
            let connection = try Connection.open(database, key: key, options: reading)
            isBehind = try !keyring.ringsBehind(epoch, in: connection).isEmpty
        }
        guard isBehind else { return }
        try keyring.remember(epoch: epoch, in: Connection.open(database, key: key, options: options.ofSchema))
    }

    /// A copy is started only after its key is recorded: without a pending key, the file is not from a rotation.
    private func removeLeftover(_ keyring: borrowing Keyring) throws {
        guard KeyChange.hasLeftover(of: database) else { return }
        guard keyring.document.keys.contains(where: { $0.state == .pending }) else {
            throw LockstepError.system(.fileExists, "create", KeyChange.copyPath(of: database))
        }
        KeyChange.removeLeftover(of: database)
    }

    private var lockPath: FilePath { AtomicFile.hiddenSibling("rotation", of: database) }
}
