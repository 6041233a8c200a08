internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// An advisory lock on a side file, held until the value goes out of scope.
///
/// The side file remains: removing it would let two processes lock two different files. It stays empty, too: a file in
/// a folder that others write to can be another name of a file that must not change.
struct FileLock: ~Copyable {
    /// Who else can have the lock at the same time.
    enum Kind {
        /// Nobody.
        case exclusive
        /// Others who share it.
        case shared
    }

    let file: FileDescriptor
    private let held: HeldLock?

    /// Takes the lock, or fails immediately with ``LockstepError/Code/locked``.
    /// - Parameters:
    ///   - order: Its place in the order of locks; nil for one that only its own job knows.
    ///   - creating: Whether to create the file if there is none.
    init(_ path: FilePath, _ kind: Kind = .exclusive, as order: LockOrder? = nil, creating: Bool = true) throws {
        let file = try translatingErrno("open the lock file", path) {
            try FileDescriptor.open(
                path, creating ? .readWrite : .readOnly,
                options: creating ? [.create, .noFollow, .closeOnExec] : [.noFollow, .closeOnExec],
                permissions: creating ? .ownerReadWrite : nil)
        }
        let operation = kind == .exclusive ? LOCK_EX : LOCK_SH
        guard flock(file.rawValue, operation | LOCK_NB) == 0 else {
            let failure = Errno(rawValue: errno)
            defer { try? file.close() }
            guard failure == .wouldBlock else { throw LockstepError.system(failure, "lock", path) }
            let holder = OtherProcess.holdingLock(on: file)?.description ?? "another process"
            throw LockstepError(
                .locked, "\(path) is locked by \(holder)",
                hint: "wait until it has finished, then run it again", context: .file(path))
        }
        self.file = file
        held = if let order { HeldLock(order, path) } else { nil }
    }

    deinit {
        // Closing alone does not end the lock while a child process has the descriptor: one that another thread starts
        // has it until it runs its program.
        _ = flock(file.rawValue, LOCK_UN)
        try? file.close()
    }
}
