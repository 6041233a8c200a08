internal import SystemPackage

/// The file that a rehearsal works on: hidden, of mode 0600, and removed with the value.
///
/// A lock file distinguishes a running rehearsal from a killed one: the system releases a dead process's lock. The lock
/// file exists from before the copy is made until the copy is gone, so that a copy without a lock file belongs
/// to nobody.
struct RehearsalCopy: ~Copyable {
    private static let ending = ".rehearsal"
    private static let lockEnding = ".rehearsal-lock"

    /// The copy, which starts as an empty file.
    let path: FilePath
    private let lock: NamedLock

    /// Makes an empty copy of `database` in `folder`, after removing the copies that killed rehearsals left
    /// there.
    /// - Parameter locked: Called each time a lock file was made and locked, before it is checked again. Tests
    ///   remove the lock file at that moment.
    init(
        of database: FilePath, in folder: FilePath, locked: (FilePath) throws -> Void = { _ in }
    ) throws {
        let name = database.lastComponent?.string ?? ""
        try Self.sweep(name, folder)
        let lock = try NamedLock.make(for: name, in: folder, locked)
        let path = folder.appending(lock.stem + Self.ending)
        do {
            try AtomicFile.create(path).close()
        } catch {
            AtomicFile.remove(lock.path)
            throw error
        }
        self.path = path
        self.lock = lock
    }

    deinit {
        DatabaseFile.remove(path)
        AtomicFile.remove(lock.path)
    }

    /// A new lock file that this process holds.
    struct NamedLock: ~Copyable {
        let stem: String
        let path: FilePath
        private let lock: FileLock

        private init(_ stem: String, _ path: FilePath) throws {
            lock = try FileLock(path)
            self.stem = stem
            self.path = path
        }

        static func make(
            for name: String, in folder: FilePath, _ locked: (FilePath) throws -> Void
        ) throws -> NamedLock {
            while true {
                let stem = ".\(name).\(String(UInt64.random(in: .min ... .max), radix: 36))"
                do {
                    let lock = try NamedLock(stem, folder.appending(stem + lockEnding))
                    try locked(lock.path)
                    // Before it was locked, another rehearsal can have removed it as a leftover.
                    if FileAccess.exists(lock.path) { return lock }
                } catch let error as LockstepError where error.code == .locked {
                    continue
                }
            }
        }
    }

    // MARK: Leftovers

    /// Removes the copies of `name` whose processes have ended.
    private static func sweep(_ name: String, _ folder: FilePath) throws {
        let names = try Folder.list(folder, hidden: true, where: { $0.begins(with: ".\(name).") }).files
        // Links are not followed.
        let files = names.filter { file in
            (try? FileAccess.sizeOfRegularFile(folder.appending(file))) != nil
        }
        for stem in files.compactMap({ stem($0, of: name, lockEnding) }) {
            let lockPath = folder.appending(stem + lockEnding)
            do {
                let lock = try FileLock(lockPath)
                DatabaseFile.remove(folder.appending(stem + ending))
                AtomicFile.remove(lockPath)
                _ = consume lock
            } catch let error as LockstepError
                where [.locked, .accessDenied].contains(error.code)
            {
                // That rehearsal is running, or is another user's.
            }
        }
        for stem in files.compactMap({ stem($0, of: name, ending) })
        where !FileAccess.exists(folder.appending(stem + lockEnding)) {
            DatabaseFile.remove(folder.appending(stem + ending))
        }
    }

    /// `.<name>.<number in base 36>` of a rehearsal's file name that ends in `ending`; nil for all other names.
    private static func stem(_ file: String, of name: String, _ ending: String) -> String? {
        guard let stem = file.rest(before: ending), let random = stem.rest(after: ".\(name).") else { return nil }
        guard (1...13).contains(random.utf8.count), UInt64(random, radix: 36) != nil,
            random.allSatisfy({ !$0.isUppercase })
        else { return nil }
        return String(stem)
    }
}
