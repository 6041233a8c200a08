package import SystemPackage

/// A file that is being written beside the place where it shall stand: it is there whole, readable by its owner only,
/// or not at all. Nothing is written over.
package struct NewFile: ~Copyable {
    private let target: FilePath
    private let path: FilePath
    /// Whether it lies in a folder that has not got its name yet, and so bears its own already.
    private let isInNewFolder: Bool
    private var isFinished = false
    private let file: FileDescriptor
    /// Small pieces are collected: a call of the system costs more than they.
    private var waiting: [UInt8] = []
    private static let maximumWaiting = 65_536

    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything stands at `target`; why the folder takes no file.
    package init(_ target: FilePath) throws {
        guard !FileAccess.exists(target) else {
            throw LockstepError.system(.fileExists, "create", target)
        }
        let path = try AtomicFile.uniqueSibling(of: target)
        let file = try AtomicFile.create(path, for: target)
        self.target = target
        self.path = path
        self.file = file
        isInNewFolder = false
    }

    /// A file of a ``NewFolder``.
    init(inNewFolder path: FilePath) throws {
        file = try AtomicFile.create(path)
        target = path
        self.path = path
        isInNewFolder = true
    }

    deinit {
        try? file.close()
        // Once it has its name nothing bears this one.
        if !isInNewFolder || !isFinished { AtomicFile.remove(path) }
    }

    /// Takes the next bytes.
    /// - Throws: ``LockstepError/Code/full`` and what else writing meets.
    package mutating func write(_ bytes: [UInt8]) throws {
        waiting.append(contentsOf: bytes)
        guard waiting.count >= Self.maximumWaiting else { return }
        try flush()
    }

    /// Gives the file its name.
    /// - Throws: As ``write(_:)``; ``LockstepError/Code/alreadyExists`` if somebody has put a file there meanwhile.
    package mutating func finish() throws {
        try flush()
        try AtomicFile.sync(file, target)
        if !isInNewFolder { try AtomicFile.moveIntoPlace(path, target) }
        isFinished = true
    }

    private mutating func flush() throws {
        let (file, bytes) = (file, waiting)
        waiting.removeAll(keepingCapacity: true)
        try translatingErrno("write", target) { _ = try file.writeAll(bytes) }
    }
}
