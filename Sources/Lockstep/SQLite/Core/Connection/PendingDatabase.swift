package import SystemPackage

/// A database under construction beside its final path, under a temporary name. Leaving the scope without
/// placing it removes it: a copy appears complete or not at all. What is left of it after a kill is removed when the
/// next one is made for the same path; see ``PendingHold``.
package struct PendingDatabase: ~Copyable {
    /// The path at which it is made.
    package let path: FilePath
    /// The final path.
    let target: FilePath
    private let hold: PendingHold

    /// Creates an empty file of mode 0600 in the folder of `target`, or leaves that to the caller.
    package init(for target: FilePath, creating: Bool = true) throws {
        if !FileAccess.exists(target) { try SideFileName.require(no: target) }
        let hold = try PendingHold(for: target)
        let path = try AtomicFile.uniqueSibling(of: target)
        if creating { try AtomicFile.create(path, for: target).close() }
        self.path = path
        self.target = target
        self.hold = hold
    }

    /// Creates an empty file of mode 0600 and this name, in the same folder as `target`.
    init(at path: FilePath, for target: FilePath) throws {
        let hold = try PendingHold(for: target)
        try AtomicFile.create(path).close()
        self.path = path
        self.target = target
        self.hold = hold
    }

    deinit { DatabaseFile.remove(path) }

    /// Fails if anything exists at `target`, or anything that would be taken for the log of the database there.
    package static func requireFree(_ target: FilePath) throws {
        try AtomicFile.requireFree(target)
        try Opening.requireNoSideFiles(of: target)
    }

    /// Removes the log of the closed database, all of whose pages are in the file itself: closing it does so, but says
    /// nothing if that fails.
    func removeEmptyLog() throws {
        for suffix in DatabaseFile.sideSuffixes {
            let side = DatabaseFile.side(suffix, of: path)
            AtomicFile.remove(side)
            guard !FileAccess.exists(side) else {
                throw LockstepError.system(.ioError, "remove", side)
            }
        }
    }

    /// Moves the finished, closed database to its final path, which must be free.
    package func place() throws {
        try sync()
        try Self.requireFree(target)
        try Opening.requireNoSideFiles(of: path)
        try AtomicFile.moveIntoPlace(path, target)
    }

    /// Replaces the database at the final path, which must not be in use, with the finished, closed one. At
    /// every instant one of the two is there, complete.
    func replace() throws {
        try sync()
        let old = try DatabaseFile(target, writable: true)
        try old.whileExclusive {
            try DatabaseFile.requireUnused(target)
            // A log of the old database would be replayed into the new one. It is empty by now, unless the old
            // database could not be opened.
            var aside: [(side: FilePath, name: FilePath)] = []
            do {
                for suffix in DatabaseFile.sideSuffixes {
                    let side = DatabaseFile.side(suffix, of: target)
                    guard FileAccess.exists(side) else { continue }
                    let name = try AtomicFile.uniqueSibling(of: side)
                    try AtomicFile.move(side, over: name)
                    aside.append((side, name))
                }
                try AtomicFile.syncFolder(of: target)
                try AtomicFile.move(path, over: target)
            } catch {
                throw aside.reduce(error) { error, moved in
                    cleaningUp(after: error) { try AtomicFile.move(moved.name, over: moved.side) }
                }
            }
            // From here on the new database is in place, and the old log must not come back beside it. The log
            // is kept until that is on disk: a power loss can still bring its database back.
            try AtomicFile.syncFolder(of: target)
            for (_, name) in aside { AtomicFile.remove(name) }
        }
    }

    /// Replaces the database at the final path with the finished, closed one, and gives that the owner and mode
    /// of the old one. The caller has the old database to itself, without a journal or log.
    func replaceInUse() throws {
        try DatabaseFile.requireUnused(target)
        try sync { file in try FileAccess.copy(accessTo: target, file, path) }
        try Opening.requireNoSideFiles(of: path)
        try Opening.requireNoSideFiles(of: target)
        // Their removal must be durable before the new file is there: if a power loss brought the old journal
        // or log back, SQLite would replay it into the new file.
        try AtomicFile.syncFolder(of: target)
        try AtomicFile.move(path, over: target)
        try AtomicFile.syncFolder(of: target)
    }

    // SQLite has closed the file, so that closing this descriptor drops none of SQLite's locks.
    private func sync(_ prepare: (FileDescriptor) throws -> Void = { _ in }) throws {
        let file = try translatingErrno("open", path) {
            try FileDescriptor.open(path, .readWrite, options: [.noFollow, .closeOnExec])
        }
        defer { try? file.close() }
        try prepare(file)
        try AtomicFile.sync(file, path)
    }
}
