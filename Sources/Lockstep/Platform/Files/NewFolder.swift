package import SystemPackage

/// A folder of files that is being written beside the place where it shall stand: it is there whole, its owner's only,
/// or not at all. Nothing is written over.
package struct NewFolder: ~Copyable {
    private let target: FilePath
    private let path: FilePath
    private var names: [String] = []
    private var isFinished = false

    /// - Throws: ``LockstepError/Code/alreadyExists`` if anything stands at `target`, be it an empty folder; why there
    ///   can be no folder.
    package init(_ target: FilePath) throws {
        guard !FileAccess.exists(target) else {
            throw LockstepError.system(.fileExists, "create", target)
        }
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

    /// Writes a file, whose name no other has.
    package mutating func add(
        _ name: String, _ body: (_ write: ([UInt8]) throws -> Void) throws -> Void
    ) throws {
        names.append(name)
        var file = try NewFile(inNewFolder: path.appending(name))
        try body { bytes in try file.write(bytes) }
        try file.finish()
    }

    /// Gives the folder its name.
    /// - Throws: ``LockstepError/Code/alreadyExists`` if somebody has put something there meanwhile.
    package mutating func finish() throws {
        try AtomicFile.syncFolder(of: path.appending("file"))
        // What is an empty folder by now would be replaced, and nothing lost.
        guard !FileAccess.exists(target) else {
            throw LockstepError.system(.fileExists, "create", target)
        }
        try AtomicFile.move(path, over: target)
        isFinished = true
        try AtomicFile.syncFolder(of: target)
    }
}
