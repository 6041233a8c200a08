public import SystemPackage

/// A keyring's file: where it lies, how it is read and replaced.
///
/// Files are made with mode 0600 and their folder with mode 0700; a file that others can read, that belongs
/// to someone else or that is a symbolic link is refused, and so is a folder that others may write into. Writing replaces the file in one step under a
/// lock, so that a crash leaves the old keyring or the new one.
public struct KeyringFile: Sendable, Hashable {
    /// Where the file lies.
    public let path: FilePath

    /// Names a keyring file; nothing is read yet.
    public init(_ path: FilePath) { self.path = path }

    /// Where the database keyring for a database file lies by default: `<folder>/<name>.database.keyring`.
    public static func database(for database: FilePath, in folder: FilePath) -> KeyringFile {
        let stem = database.lastComponent?.stem ?? "database"
        return KeyringFile(folder.appending("\(stem).database.keyring"))
    }

    /// Where the fields keyring of a dataset lies by default: `<folder>/<dataset>.fields.keyring`.
    public static func fields(of dataset: String, in folder: FilePath) throws(LockstepError)
        -> KeyringFile
    {
        guard PlainName.isValid(dataset) else {
            throw LockstepError(
                .keyringConflict, "a dataset cannot be named “\(dataset)”",
                hint: "use \(PlainName.rule)")
        }
        return KeyringFile(folder.appending("\(dataset).fields.keyring"))
    }

    /// The keyrings of a folder, by name.
    /// - Throws: ``LockstepError/Code/notFound`` if there is no such folder.
    public static func all(in folder: FilePath) throws -> [KeyringFile] {
        try Folder.list(folder).files.filter { $0.hasSuffix(".keyring") }
            .map { KeyringFile(folder.appending($0)) }
    }

    /// Removes a keyring whose key was never used. Nothing may have been encrypted under it.
    public func removeUnused() { AtomicFile.remove(path) }

    /// Whether anything stands at the path.
    public var exists: Bool { FileAccess.exists(path) }

    /// Opens the keyring; see ``Keyring`` for what `credential` is asked.
    /// - Throws: ``LockstepError`` located at the file's path.
    public func open(credential: (SlotDescription) throws -> Credential?) throws -> Keyring {
        let text = try read()
        // What goes wrong with a credential is not the keyring's fault, and not told as such.
        var isCredentialsFault = false
        do {
            return try Keyring.open(text) { slot in
                isCredentialsFault = true
                let offered = try credential(slot)
                isCredentialsFault = false
                return offered
            }
        } catch let error as LockstepError where !isCredentialsFault {
            throw error.located("\(path)")
        }
    }

    /// What the file says about itself, without any secret. Its MAC is not checked.
    public func summary() throws -> KeyringSummary {
        let text = try read()
        return try located { KeyringSummary(try KeyringParser.parse(text).document) }
    }

    /// Writes a keyring that has no file yet.
    /// - Throws: ``LockstepError/Code/alreadyExists`` rather than replace one.
    public func create(_ keyring: borrowing Keyring) throws { try create(keyring, signer: nil) }

    func create(_ keyring: borrowing Keyring, signer: borrowing SigningKey?) throws {
        try AtomicFile.createFolder(folder)
        try FileAccess.requireOwnFolder(folder)
        let lock = try FileLock(lockPath)
        defer { _ = lock }
        guard !exists else { throw LockstepError.system(.fileExists, "create", path) }
        try AtomicFile.write(try keyring.encode(epoch: keyring.epoch, signer: signer), to: path)
    }

    /// Writes a changed keyring over the file that it was opened from.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if someone else wrote the file since.
    public func save(_ keyring: inout Keyring) throws { try save(&keyring, signer: nil) }

    func save(_ keyring: inout Keyring, signer: borrowing SigningKey?) throws {
        try FileAccess.requireOwnFolder(folder)
        let lock = try FileLock(lockPath)
        defer { _ = lock }
        try requireUnchanged(since: keyring)
        // They hold wrapped keys, perhaps one that was destroyed since.
        try AtomicFile.removeLeftovers(of: path)
        let epoch = keyring.epoch + 1
        let text = try keyring.encode(epoch: epoch, signer: signer)
        try AtomicFile.write(text, to: path)
        keyring.wasWritten(epoch: epoch, try KeyringParser.parse(text).document.signature)
    }

    /// Changes the keyring as its file has it by now, and writes it: what others have changed since it was opened stays.
    /// - Throws: ``LockstepError/Code/keyringConflict`` if its ring was changed meanwhile, or for a signed one;
    ///   ``LockstepError/Code/keyringOutdated`` if an older copy stands there; what `body` throws. The keyring in memory
    ///   is what it was then.
    func update(
        _ keyring: inout Keyring, _ body: (inout Keyring) throws -> Void
    ) throws {
        try FileAccess.requireOwnFolder(folder)
        let lock = try FileLock(lockPath)
        defer { _ = lock }
        let text = try read()
        var current = try located { try keyring.reopened(text) }
        try body(&current)
        try AtomicFile.removeLeftovers(of: path)
        let epoch = current.epoch + 1
        try AtomicFile.write(current.encode(epoch: epoch), to: path)
        current.wasWritten(epoch: epoch, nil)
        keyring = current
    }

    /// - Throws: ``LockstepError/Code/keyringConflict`` unless the file is the one that was opened.
    func requireUnchanged(since keyring: borrowing Keyring) throws {
        let standing = try located { try KeyringParser.parse(try read()).document }
        guard standing.ringID == keyring.writtenRingID, standing.epoch == keyring.epoch else {
            throw LockstepError(
                .keyringConflict, "\(path) was changed by someone else meanwhile",
                hint: "run the command again")
        }
    }

    private var folder: FilePath { AtomicFile.parent(of: path) }
    private var lockPath: FilePath { folder.appending(".lock") }

    private func read() throws -> [UInt8] {
        guard exists else {
            throw LockstepError(
                .notFound, "there is no keyring at \(path)",
                hint: "name it with --keyring, its folder with --keys, or make one with "
                    + "`lockstep init`")
        }
        try FileAccess.requireOwnFolder(folder)
        do {
            return try FileAccess.read(path, limit: KeyringDocument.largestFile, .secret)
        } catch let error as LockstepError where error.code == .tooLarge {
            // A file that breaks its format, and not one that this machine has no room for.
            throw LockstepError(.keyringMalformed, error.message, hint: error.hint)
        }
    }

    private func located<Result: ~Copyable>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as LockstepError {
            throw error.located("\(path)")
        }
    }
}
