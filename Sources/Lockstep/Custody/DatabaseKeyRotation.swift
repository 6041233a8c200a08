public import SystemPackage

/// Changes the key of a database, by a verified copy that takes its name.
///
/// Never by `PRAGMA rekey`: where the disk is full or fails, that answers OK and destroys the file with the
/// next write. Here a kill, a failed write or a loss of power at any instant leaves a file that exactly one
/// of the old and the new key opens, with every row in it, and ``Keyring/databaseKey(for:)`` tells which.
/// Run again, the rotation finishes what was begun or begins anew.
///
/// In this order:
///
/// 1. A lock file beside the database, `.<name>.rotation`, keeps other rotations out; it stays.
/// 2. The database must verify, and be in use by nobody. Its log is brought in, and it stays locked until
///    the copy has its name.
/// 3. The new key is recorded in the keyring as pending.
/// 4. The database is copied to `<name>.rotating` under the new key, page by page, and the copy is verified. Then
///    it is made to remember the epoch that the keyring will have at the end: see ``Keyring/remember(in:)``.
/// 5. The copy takes the database's name, with its owner and permissions.
/// 6. The keyring takes the new key into use and retires the old one.
///
/// Costs writing the database once, reading it four times and the copy five times, and its size and a
/// sixteenth more in free space. A new passphrase or another slot needs none of this: slots wrap the
/// keyring's keys, and the database's stays the same.
///
/// Backups stay under the key that they were made with: ``Keyring/databaseKey(ofBackup:)``.
public struct DatabaseKeyRotation: Sendable {
    /// Why the key changes.
    public enum Reason: Sendable {
        /// A matter of routine: the old key is retired, and still opens backups.
        case routine
        /// Somebody may know the old key: it is marked compromised. A key cannot be marked so while it is
        /// the one in use, since a keyring always has one in use: this rotation is the way to mark it.
        case compromise
    }

    /// The database file.
    public let database: FilePath
    /// The file of its keyring.
    public let keyringFile: KeyringFile
    /// Why the key changes.
    public var reason: Reason
    /// What holds the functions and collations that the schema needs; nothing else of it is used.
    public var options = ConnectionOptions()

    /// How much space the disk of a folder has; tests have their own disks.
    var freeSpace: @Sendable (FilePath) throws -> Int? = { try FileAccess.freeSpace(in: $0) }

    /// A rotation of the key of `database`, which `keyring` opens. Nothing is done yet.
    public init(
        of database: FilePath, keyring keyringFile: KeyringFile, reason: Reason = .routine
    ) {
        self.database = database
        self.keyringFile = keyringFile
        self.reason = reason
    }

    /// Runs the rotation. Blocks.
    ///
    /// Where an earlier one was interrupted after the new file had taken its place, this finishes that one
    /// and copies nothing. If the keyring itself has become known, run it once more then: the key that was
    /// pending stood in the keyring too.
    /// - Parameters:
    ///   - keyring: The keyring as opened from ``keyringFile``. After an error open it anew.
    ///   - progress: Is told how many pages have been copied. What it throws ends the rotation, and the
    ///     database is what it was; so does cancelling the task that the rotation runs in.
    /// - Throws: ``LockstepError/Code/busy`` if anybody has the database open, this process included;
    ///   ``LockstepError/Code/locked`` if another rotation runs; ``LockstepError/Code/full``;
    ///   ``LockstepError/Code/keyringConflict`` for a keyring that is signed or was changed meanwhile;
    ///   ``LockstepError/Code/keyringMismatch`` for one of another purpose;
    ///   ``LockstepError/Code/keyringOutdated`` for an old copy of the keyring;
    ///   ``LockstepError/Code/keyUnavailable`` for a file under a key that is out of use;
    ///   ``LockstepError/Code/wrongKey``, ``LockstepError/Code/damaged``: what is damaged is not copied;
    ///   ``LockstepError/Code/alreadyExists`` if a file named `<name>.rotating` is not ours;
    ///   `CancellationError`.
    @discardableResult
    public func run(
        _ keyring: inout Keyring, progress: (CopyProgress) throws -> Void = { _ in }
    ) throws -> KeyRotationReport {
        try keyring.requireDatabasePurpose()
        try keyring.requireUnsigned()
        try Diagnosis.requireDatabase(database)
        let lock = try FileLock(lockPath)
        defer { _ = lock }
        try keyringFile.requireUnchanged(since: keyring)
        let standing = try keyring.standingKey(of: database)
        if standing.state == .pending { return try finish(standing.version, &keyring) }
        try removeLeftover(keyring)
        let (new, copy) = try replaceFile(&keyring, progress)
        return try promote(new, copy, &keyring)
    }

    // MARK: Steps

    /// The old file's lock is given back at the end, when the new one has its name.
    private func replaceFile(
        _ keyring: inout Keyring, _ progress: (CopyProgress) throws -> Void
    ) throws -> (version: UInt32, copy: CopyReport) {
        let old = try keyring.databaseKey()
        let change = try begin(old, keyring)
        try change.requireSpace(freeSpace)
        let version = try recordPending(&keyring)
        let new = try keyring.databaseKey(version: version)
        let exact = try change.copy(from: old, to: new) { copied in
            try Task.checkCancellation()
            try progress(copied)
        }
        try Task.checkCancellation()
        let epoch = keyring.epoch + 1
        let copy = try change.amend(exact, key: new) { try keyring.remember(epoch: epoch, in: $0) }
        try change.replace(with: copy)
        return (version, copy.report)
    }

    /// The keyring's epoch rises when the new key is recorded, and that much the old file may be behind. What
    /// it is behind already, such as by a rotation that came no further, it learns before.
    private func begin(
        _ old: borrowing DatabaseKey, _ keyring: borrowing Keyring
    ) throws -> KeyChange {
        try KeyChange.begin(database, key: old, schema: options) { connection in
            guard try keyring.isKnown(in: connection) else { return }
            try keyring.remember(in: connection)
        }
    }

    /// A key that is pending already was recorded before, and its copy has been removed.
    private func recordPending(_ keyring: inout Keyring) throws -> UInt32 {
        var version: UInt32 = 0
        try keyring.change(in: keyringFile) { keyring in
            version = try keyring.nextDatabaseKey(isFresh: reason == .compromise)
        }
        return version
    }

    private func promote(
        _ version: UInt32, _ copy: CopyReport?, _ keyring: inout Keyring
    ) throws -> KeyRotationReport {
        var old: UInt32 = 0
        let id = try identity(version, keyring)
        try keyring.change(in: keyringFile) { keyring in
            try keyring.relist(id, under: version)
            old = try keyring.promoteDatabaseKey(
                version, leaving: reason == .compromise ? .compromised : .retired)
        }
        return KeyRotationReport(oldVersion: old, newVersion: version, copy: copy)
    }

    /// The id of the database, which is under the new key by now.
    private func identity(_ version: UInt32, _ keyring: borrowing Keyring) throws -> [UInt8]? {
        var reading = options.ofSchema
        reading.isQueryOnly = true
        let key = try keyring.databaseKey(version: version)
        return try KeyringTable.database(Connection.open(database, key: key, options: reading))
    }

    /// The file is under the pending key: all that is missing is that the keyring says so.
    private func finish(
        _ version: UInt32, _ keyring: inout Keyring
    ) throws -> KeyRotationReport {
        try catchUp(version, keyring)
        // What was interrupted may not have got so far, and once the old key is retired a loss of power
        // must not bring the old file back.
        try AtomicFile.syncFolder(of: database)
        try removeLeftover(keyring)
        return try promote(version, nil, &keyring)
    }

    /// Mostly the file remembers the epoch that the keyring is about to have. Where the keyring was changed
    /// since the interruption it is behind.
    private func catchUp(_ version: UInt32, _ keyring: borrowing Keyring) throws {
        let key = try keyring.databaseKey(version: version)
        let epoch = keyring.epoch + 1
        var reading = options.ofSchema
        reading.isQueryOnly = true
        let isBehind: Bool
        do {
            // Sixteen bytes are soon forged; a page that verifies is not.
            let connection = try Connection.open(database, key: key, options: reading)
            isBehind = try !keyring.ringsBehind(epoch, in: connection).isEmpty
        }
        guard isBehind else { return }
        try keyring.remember(
            epoch: epoch, in: Connection.open(database, key: key, options: options.ofSchema))
    }

    /// A copy is begun only when its key is recorded: without a pending key the file is somebody else's.
    private func removeLeftover(_ keyring: borrowing Keyring) throws {
        guard KeyChange.hasLeftover(of: database) else { return }
        guard keyring.document.keys.contains(where: { $0.state == .pending }) else {
            throw LockstepError.system(.fileExists, "create", KeyChange.copyPath(of: database))
        }
        KeyChange.removeLeftover(of: database)
    }

    private var lockPath: FilePath {
        let name = database.lastComponent?.string ?? ""
        return AtomicFile.parent(of: database).appending(".\(name).rotation")
    }
}
