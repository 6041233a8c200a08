package import SystemPackage

/// A file that is written beside its target: it appears complete, readable only by its owner, or not at all. Nothing is
/// overwritten.
package struct NewFile: ~Copyable {
    private let target: FilePath
    private let path: FilePath
    /// Whether it is in a folder that does not have its name yet; then the file already has its own name.
    private let isInNewFolder: Bool
    private var isFinished = false
    private let file: FileDescriptor
    private let hold: PendingHold?
    /// Collects small pieces, because a system call takes longer.
    private var waiting: [UInt8] = []
    private static let maximumWaiting = 65_536

    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at `target`; the error if the file cannot be
    ///   created.
    package init(_ target: FilePath) throws {
        try AtomicFile.requireFree(target)
        let hold: PendingHold? = try PendingHold(for: target)
        let path = try AtomicFile.uniqueSibling(of: target)
        let file = try AtomicFile.create(path, for: target)
        self.target = target
        self.path = path
        self.file = file
        self.hold = hold
        isInNewFolder = false
    }

    /// A file in a ``NewFolder``.
    init(inNewFolder path: FilePath) throws {
        file = try AtomicFile.create(path)
        target = path
        self.path = path
        hold = nil
        isInNewFolder = true
    }

    deinit {
        try? file.close()
        // After `finish()`, no file has the temporary name.
        if !isInNewFolder || !isFinished { AtomicFile.remove(path) }
    }

    /// Adds the next bytes.
    /// - Throws: ``LockstepError/Code/full`` and other errors of writing.
    package mutating func write(_ bytes: [UInt8]) throws {
        waiting.append(contentsOf: bytes)
        guard waiting.count >= Self.maximumWaiting else { return }
        try flush()
    }

    /// Gives the file its name.
    /// - Throws: As in ``write(_:)``; ``LockstepError/Code/alreadyExists`` if someone has put a file there in the
    ///   meantime.
    package mutating func finish() throws {
        try flush()
        try AtomicFile.sync(file, target)
        if !isInNewFolder { try AtomicFile.moveIntoPlace(path, target) }
        isFinished = true
    }

    private mutating func flush() throws {
        defer { waiting.removeAll(keepingCapacity: true) }
        try translatingErrno("write", target) { _ = try file.writeAll(waiting) }
    }
}
