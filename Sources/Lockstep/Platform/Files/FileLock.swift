internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// An exclusive advisory lock on a side file, held until the value goes out of scope.
///
/// The side file remains: removing it would let two processes lock two different files.
struct FileLock: ~Copyable {
    private let file: FileDescriptor

    /// Takes the lock, or fails immediately with ``LockstepError/Code/locked``.
    /// - Parameter creating: Whether to create the file if there is none.
    init(_ path: FilePath, creating: Bool = true) throws {
        let file = try translatingErrno("open the lock file", path) {
            try FileDescriptor.open(
                path, creating ? .readWrite : .readOnly,
                options: creating
                    ? [.create, .noFollow, .closeOnExec] : [.noFollow, .closeOnExec],
                permissions: creating ? .ownerReadWrite : nil)
        }
        guard flock(file.rawValue, LOCK_EX | LOCK_NB) == 0 else {
            let failure = Errno(rawValue: errno)
            try? file.close()
            guard failure == .wouldBlock else { throw LockstepError.system(failure, "lock", path) }
            throw LockstepError(
                .locked, "\(path) is locked by another process",
                hint: "wait until it has finished, then run it again", context: .file(path))
        }
        self.file = file
    }

    deinit { try? file.close() }
}
