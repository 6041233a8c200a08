package import SystemPackage

/// A database that is being made beside the place where it shall stand, under a name of its own. Leaving
/// the scope without placing it removes it: a copy is there whole or not at all.
package struct PendingDatabase: ~Copyable {
    /// Where it is being made.
    package let path: FilePath
    /// Where it shall stand.
    let target: FilePath

    /// Makes an empty file of mode 0600 in the folder of `target`, or leaves that to the caller.
    package init(for target: FilePath, creating: Bool = true) throws {
        let path = try AtomicFile.uniqueSibling(of: target)
        if creating { try AtomicFile.create(path, for: target).close() }
        self.path = path
        self.target = target
    }

    /// Makes an empty file of mode 0600 of this name, in the same folder as `target`.
    init(at path: FilePath, for target: FilePath) throws {
        try AtomicFile.create(path).close()
        self.path = path
        self.target = target
    }

    deinit { Self.remove(path) }

    /// Fails where anything stands at `target`, or would be taken for the log of what shall stand there.
    package static func requireFree(_ target: FilePath) throws {
        guard !FileAccess.exists(target) else {
            throw LockstepError.system(.fileExists, "create", target)
        }
        try Opening.requireNoSideFiles(of: target)
    }

    /// Puts the finished, closed database in its place, where nothing may stand.
    package func place() throws {
        try sync()
        try Self.requireFree(target)
        try Opening.requireNoSideFiles(of: path)
        try AtomicFile.moveIntoPlace(path, target)
    }

    /// Puts the finished, closed database in the place of the one that stands there, which nobody may be
    /// using. At any instant one of the two stands there whole.
    func replace() throws {
        try sync()
        let old = try DatabaseFile(target, writable: true)
        try old.whileExclusive {
            // A log of the old database would be replayed into the new one. It is empty by now, unless
            // the old database could not be opened.
            var aside: [(side: FilePath, name: FilePath)] = []
            do {
                for suffix in ["-wal", "-shm", "-journal"] {
                    let side = DatabaseFile.side(suffix, of: target)
                    guard FileAccess.exists(side) else { continue }
                    let name = try AtomicFile.uniqueSibling(of: side)
                    try AtomicFile.move(side, over: name)
                    aside.append((side, name))
                }
                try AtomicFile.syncFolder(of: target)
                try AtomicFile.move(path, over: target)
            } catch {
                for (side, name) in aside { try AtomicFile.move(name, over: side) }
                throw error
            }
            // From here on the new database stands there, and the old log must not come back beside it. Until
            // that is on the disk the log is kept: a loss of power may still bring its database back.
            try AtomicFile.syncFolder(of: target)
            for (_, name) in aside { AtomicFile.remove(name) }
        }
    }

    /// Puts the finished, closed database in the place of the one that stands there, which the caller has
    /// to itself and without a journal or log, and gives it the owner and mode of that one.
    func replaceInUse() throws {
        try sync { file in try FileAccess.copy(accessTo: target, file, path) }
        try Opening.requireNoSideFiles(of: path)
        try Opening.requireNoSideFiles(of: target)
        // That they are gone must last before the new file is there: a loss of power that brought the old
        // journal or log back would have it replayed into the new file.
        try AtomicFile.syncFolder(of: target)
        try AtomicFile.move(path, over: target)
        try AtomicFile.syncFolder(of: target)
    }

    // SQLite has closed the file, so that a descriptor of ours drops no lock of its.
    private func sync(_ prepare: (FileDescriptor) throws -> Void = { _ in }) throws {
        let file = try translatingErrno("open", path) {
            try FileDescriptor.open(path, .readWrite, options: [.noFollow, .closeOnExec])
        }
        defer { try? file.close() }
        try prepare(file)
        try AtomicFile.sync(file, path)
    }

    /// Removes a database with all that lies beside it.
    static func remove(_ path: FilePath) {
        for suffix in ["", "-wal", "-shm", "-journal"] {
            AtomicFile.remove(DatabaseFile.side(suffix, of: path))
        }
    }
}
