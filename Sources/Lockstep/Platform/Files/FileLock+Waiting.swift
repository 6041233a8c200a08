internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension FileLock {
    /// Takes the lock, waiting up to `timeout` for its holder.
    /// - Parameters:
    ///   - creating: Whether to create the file if there is none.
    ///   - shouldContinue: Called about fifty times a second; an error that it throws ends the
    ///     wait.
    /// - Throws: ``LockstepError/Code/locked`` after the timeout.
    static func wait(
        _ path: FilePath, creating: Bool = true, timeout: Duration,
        shouldContinue: () throws -> Void
    ) throws -> FileLock {
        let deadline = Clock.monotonicMicroseconds + timeout.wholeMicroseconds
        while true {
            do {
                return try FileLock(path, creating: creating)
            } catch let error as LockstepError where error.code == .locked {
                guard Clock.monotonicMicroseconds < deadline else { throw error }
            }
            try shouldContinue()
            var pause = timespec(tv_sec: 0, tv_nsec: 20_000_000)
            unsafe _ = nanosleep(&pause, nil)
        }
    }
}
