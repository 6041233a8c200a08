public import SystemPackage

/// A keyring's file: its location, and how it is read and replaced.
///
/// Files are created with mode 0600 and their folder with mode 0700. A file that others can read, that belongs to
/// someone else or that is a symbolic link is refused, and so is a folder that others can write to. The file is
/// replaced atomically under a lock, so a crash leaves either the old keyring or the new one. Writers take turns: see
/// ``FileLockWait``.
public struct KeyringFile: Sendable, Hashable {
    /// The path of the file.
    public let path: FilePath

    /// Names a keyring file without reading it.
    public init(_ path: FilePath) { self.path = path }

    /// The keyring of a database in a folder with the keyrings of several: `<folder>/<name>.database.keyring`.
    public static func database(for database: FilePath, in folder: FilePath) -> KeyringFile {
        let stem = database.lastComponent?.stem ?? "database"
        return KeyringFile(folder.appending("\(stem).database.keyring"))
    }

    /// The fields keyring of a dataset in a folder: `<folder>/<dataset>.fields.keyring`.
    /// - Throws: ``LockstepError/Code/keyringConflict`` for a name that a dataset cannot have.
    public static func fields(of dataset: String, in folder: FilePath) throws(LockstepError) -> KeyringFile {
        guard PlainName.isValid(dataset) else {
            throw LockstepError(
                .keyringConflict, "a dataset cannot be named “\(dataset)”", hint: "use \(PlainName.rule)")
        }
        return KeyringFile(folder.appending("\(dataset).fields.keyring"))
    }

    /// The keyrings in a folder, by name.
    /// - Throws: ``LockstepError/Code/notFound`` if the folder does not exist.
    public static func all(in folder: FilePath) throws -> [KeyringFile] {
        try Folder.list(folder).files.filter { $0.ends(with: ".keyring") }
            .map { KeyringFile(folder.appending($0)) }
    }

    /// Removes a keyring whose key was never used. Nothing must have been encrypted with it.
    public func removeUnused() { AtomicFile.remove(path) }

    /// Whether anything exists at the path.
    public var exists: Bool { FileAccess.exists(path) }

    /// Opens the keyring. `credential` returns the credential to try on a slot, or nil to skip it.
    /// - Throws: ``LockstepError`` located at the file's path.
    public func open(credential: (SlotDescription) throws -> Credential?) throws -> Keyring {
        let text = try read()
        // An error of a credential is not the keyring's fault, so it does not get the keyring's path.
        var isCredentialsFault = false
        do {
            var keyring = try Keyring.open(text) { slot in
                isCredentialsFault = true
                let offered = try credential(slot)
                isCredentialsFault = false
                return offered
            }
            keyring.file = try real
            return keyring
        } catch let error as LockstepError where !isCredentialsFault {
            throw error.located(in: path)
        }
    }

    /// The public content of the file. The MAC is not checked.
    /// - Throws: ``LockstepError/Code/notFound``; ``LockstepError/Code/permissionsTooOpen`` if others can read the file
    ///   or write to its folder; ``LockstepError/Code/keyringMalformed``, ``LockstepError/Code/keyringUnsupported``.
    public func summary() throws -> KeyringSummary {
        let text = try read()
        return try located { KeyringSummary(try KeyringParser.parse(text).document) }
    }

    /// Writes a new keyring.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if the file exists; ``LockstepError/Code/locked`` if another
    ///   program holds the keyring for longer than ``FileLockWait`` allows.
    public func create(_ keyring: borrowing Keyring) throws { try create(keyring, signer: nil) }

    func create(_ keyring: borrowing Keyring, signer: borrowing SigningKey?) throws {
        try SideFileName.require(no: path)
        try AtomicFile.createFolder(folder)
        let lock = try lock()
        defer { _ = lock }
        guard !exists else { throw LockstepError.system(.fileExists, "create", path) }
        try AtomicFile.removeLeftovers(of: path)
        try AtomicFile.write(try keyring.encode(epoch: keyring.epoch, signer: signer), to: path)
    }

    /// Writes a changed keyring over the file that it was opened from.
    /// - Throws: ``LockstepError/Code/keyringChanged`` if someone else has since written the file;
    ///   ``LockstepError/Code/locked`` if another program holds the keyring for longer than ``FileLockWait`` allows.
    public func save(_ keyring: inout Keyring) throws { try save(&keyring, signer: nil) }

    func save(_ keyring: inout Keyring, signer: borrowing SigningKey?) throws {
        let lock = try lock()
        defer { _ = lock }
        try requireUnchanged(since: keyring)
        // They contain wrapped keys, possibly one that has since been destroyed.
        try AtomicFile.removeLeftovers(of: path)
        let epoch = keyring.epoch + 1
        let text = try keyring.encode(epoch: epoch, signer: signer)
        try AtomicFile.write(text, to: path)
        keyring.wasWritten(epoch: epoch, try KeyringParser.parse(text).document.signature)
    }

    /// Rereads the keyring from its file, changes it and writes it, so changes that others made since it was opened are
    /// kept. If it throws, the keyring in memory is unchanged.
    /// - Throws: ``LockstepError/Code/keyringChanged`` if its ring was changed in the meantime;
    ///   ``LockstepError/Code/keyringConflict`` for a signed keyring; ``LockstepError/Code/keyringOutdated`` if the
    ///   file is an older copy; any error that `body` throws.
    package func update(
        _ keyring: inout Keyring, _ body: (inout Keyring) throws -> Void
    ) throws {
        let lock = try lock()
        defer { _ = lock }
        var current = try newest(keyring)
        try body(&current)
        try write(&current)
        keyring = current
    }

    /// Reads the keyring's file again and runs `body` with what it says, while nobody else can change it.
    /// - Throws: as in ``update(_:_:)``.
    func whileLocked(
        _ keyring: borrowing Keyring, _ body: (inout Keyring) throws -> Void
    ) throws {
        let lock = try lock()
        defer { _ = lock }
        var current = try newest(keyring)
        try body(&current)
    }

    func lock() throws -> KeyringLock {
        try FileAccess.requireOwnFolder(folder)
        return try KeyringLock(path)
    }

    /// The keyring as its file says now.
    func newest(_ keyring: borrowing Keyring) throws -> Keyring {
        try requireInPlace()
        let text = try read()
        var newest = try located { try keyring.reopened(text) }
        newest.file = try real
        return newest
    }

    /// Writes the keyring as its next version. The caller has the lock.
    func write(_ keyring: inout Keyring) throws {
        try AtomicFile.removeLeftovers(of: path)
        let epoch = keyring.epoch + 1
        try AtomicFile.write(keyring.encode(epoch: epoch), to: path)
        keyring.wasWritten(epoch: epoch, nil)
    }

    /// Reads the file again. The ring key is known, so nothing is asked for.
    /// - Returns: Whether the file has another version.
    /// - Throws: ``LockstepError/Code/keyringChanged`` if its ring was changed in the meantime;
    ///   ``LockstepError/Code/keyringOutdated`` if the file is an older copy; any error of reading and parsing it.
    @discardableResult
    package func reread(_ keyring: inout Keyring) throws -> Bool {
        let current = try newest(keyring)
        guard current.epoch != keyring.epoch else { return false }
        keyring = current
        return true
    }

    /// Runs a job during which no key of the keyring can be destroyed: one that converts cells, or that makes a file
    /// under one of the keys. The jobs of this library do so by themselves, where they get the keyring or keys from its
    /// file; a program needs this for several of them together, with one reading of the keyring.
    /// - Throws: ``LockstepError/Code/locked`` if somebody is destroying a key for longer than ``FileLockWait`` allows;
    ///   any error from `body`.
    public func whileUsed<Result>(_ body: () throws -> Result) throws -> Result {
        let lock = try UseLock(path)
        defer { _ = lock }
        return try body()
    }

    /// Runs a job beside which nobody converts cells under the keyring's keys.
    /// - Throws: ``LockstepError/Code/locked`` if somebody does for longer than ``FileLockWait`` allows; any error from
    ///   `body`.
    package func whileUnused<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        let lock = try UseLock(path, .exclusive, optional: true)
        defer { _ = lock }
        return try body()
    }

    /// - Throws: ``LockstepError/Code/keyringChanged`` if the file has changed since it was opened.
    func requireUnchanged(since keyring: borrowing Keyring) throws {
        try requireInPlace()
        let standing = try located { try KeyringParser.parse(try read()).document }
        guard standing.ringID == keyring.writtenRingID, standing.epoch == keyring.epoch else {
            throw LockstepError(
                .keyringChanged, "someone else changed \(path) in the meantime",
                hint: "run the command again", context: .file(path))
        }
    }

    /// The keyring was read from the file, so that it was there.
    private func requireInPlace() throws {
        guard !exists else { return }
        throw LockstepError(
            .keyringChanged, "someone else moved or removed \(path) in the meantime",
            hint: "run the command again", context: .file(path))
    }

    var folder: FilePath { AtomicFile.parent(of: path) }

    /// The same file, by the real path of its folder.
    private var real: KeyringFile {
        get throws {
            let folder = try RealPath.of(folder)
            return KeyringFile(path.lastComponent.map { folder.appending($0) } ?? path)
        }
    }

    func read() throws -> [UInt8] {
        guard exists else {
            let suffix = ".fields.keyring"
            let name = path.lastComponent?.string ?? ""
            let isOfDataset = name.ends(with: suffix)
            let dataset = isOfDataset ? name.rest(before: suffix).map(String.init) ?? name : name
            throw LockstepError(
                .notFound, "there is no keyring at \(path)",
                advice: isOfDataset
                    ? "give its path, \(.fieldKeysIn(dataset)), or make one with \(.createFields(dataset))"
                    : "\(.nameKeyring), or make one with \(.createKeyring)",
                context: .file(path))
        }
        try FileAccess.requireOwnFolder(folder)
        do {
            return try FileAccess.read(path, limit: KeyringDocument.largestFile, .secret)
        } catch let error as LockstepError where error.code == .tooLarge {
            // The file violates its format; this is not a limit of the machine.
            throw LockstepError(.keyringMalformed, error.message, advice: error.advice, context: error.context)
        }
    }

    /// A keyring that was just created in this file, as if it had been opened from it.
    func opened(_ keyring: consuming Keyring) throws -> Keyring {
        keyring.file = try real
        return keyring
    }

    private func located<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError {
            throw error.located(in: path)
        }
    }
}
