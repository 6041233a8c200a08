internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

extension FileLock {
    /// Takes the lock, waiting up to `timeout` for whoever holds it.
    /// - Parameter goOn: Asked some fifty times a second; what it throws ends the waiting.
    /// - Throws: ``LockstepError/Code/locked`` when the time is over.
    static func wait(
        _ path: FilePath, timeout: Duration, goOn: () throws -> Void
    ) throws -> FileLock {
        let deadline = Clock.monotonicMicroseconds + timeout.wholeMicroseconds
        while true {
            do {
                return try FileLock(path)
            } catch let error as LockstepError where error.code == .locked {
                guard Clock.monotonicMicroseconds < deadline else { throw error }
            }
            try goOn()
            var pause = timespec(tv_sec: 0, tv_nsec: 20_000_000)
            unsafe _ = nanosleep(&pause, nil)
        }
    }
}
