package import SystemPackage

/// A folder of files that is written beside its target: it appears complete, accessible only to its owner, or not at
/// all. Nothing is overwritten.
package struct NewFolder: ~Copyable {
    private let target: FilePath
    private let path: FilePath
    private var names: [String] = []
    private var isFinished = false

    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything exists at `target`, even an empty folder; the error
    ///   if the folder cannot be created.
    package init(_ target: FilePath) throws {
        try AtomicFile.requireFree(target)
        let path = try AtomicFile.uniqueSibling(of: target)
        try AtomicFile.createFolder(path)
        self.target = target
        self.path = path
    }

    deinit {
        guard !isFinished else { return }
        for name in names { AtomicFile.remove(path.appending(name)) }
        AtomicFile.removeFolder(path)
    }

    /// Writes a file with a unique name.
    package mutating func add(_ name: String, _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void) throws {
        names.append(name)
        var file = try NewFile(inNewFolder: path.appending(name))
        try body { bytes in try file.write(bytes) }
        try file.finish()
    }

    /// Gives the folder its name.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if someone has put something there in the meantime.
    package mutating func finish() throws {
        try AtomicFile.syncFolder(of: path.appending("file"))
        // An empty folder created after this check would be replaced, but nothing would be lost.
        try AtomicFile.requireFree(target)
        try AtomicFile.move(path, over: target)
        isFinished = true
        try AtomicFile.syncFolder(of: target)
    }
}
