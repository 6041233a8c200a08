internal import CSQLCipher

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Waits for other connections' locks while the engine opens a database or begins a transaction.
///
/// SQLite's own wait does not end before the busy timeout. This one ends as soon as the call is cancelled or the
/// connection's progress handler asks to stop, and it counts the time. SQLite's own wait stays in place for other
/// statements, because `PRAGMA busy_timeout` reports only that one.
@safe
final class LockWait {
    /// Microseconds between two attempts; the last one repeats. An interruption is noticed within that time.
    private static let pauses: [Int64] = [1_000, 2_000, 5_000, 10_000, 25_000]

    private let database: OpaquePointer
    private let authorizer: Authorizer
    private let owner: ConnectionOwner
    /// The decision of the connection's progress handler.
    var shouldContinue: (@Sendable () -> Bool)?
    /// Microseconds that the connection has waited since it was opened.
    private(set) var waited: Int64 = 0
    /// Whether the last wait was interrupted.
    private(set) var wasInterrupted = false
    private var deadline: Int64 = 0

    init(_ database: OpaquePointer, _ authorizer: Authorizer, _ owner: ConnectionOwner) {
        unsafe self.database = unsafe database
        self.authorizer = authorizer
        self.owner = owner
    }

    /// Milliseconds, as SQLite counts them; at most Int32.max, about 24 days.
    static func milliseconds(_ duration: Duration) -> Int32 {
        let limit = Duration.milliseconds(Int32.max)
        guard duration < limit else { return Int32.max }
        let parts = max(duration, .zero).components
        return Int32(clamping: parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000)
    }

    /// From now on waits for at most the connection's busy timeout, until ``end()``.
    func begin() {
        wasInterrupted = false
        guard authorizer.busyTimeout > 0 else { return }
        deadline = 0
        unsafe sqlite3_busy_handler(
            database,
            { context, attempts in
                guard let context = unsafe context else { return 0 }
                let wait = unsafe Unmanaged<LockWait>.fromOpaque(context).takeUnretainedValue()
                return wait.waits(Int(attempts)) ? 1 : 0
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    /// Restores SQLite's own wait.
    func end() {
        guard authorizer.busyTimeout > 0 else { return }
        unsafe sqlite3_busy_timeout(database, authorizer.busyTimeout)
    }

    /// `error`, or the interruption if that ended the wait.
    func explained(_ error: LockstepError) -> LockstepError {
        guard wasInterrupted, error.code == .busy else { return error }
        return LockstepError(.interrupted, "interrupted while it waited for another connection's lock")
    }

    /// Waits once; false if the operation must fail.
    private func waits(_ attempts: Int) -> Bool {
        let start = Clock.monotonicMicroseconds
        if attempts == 0 { deadline = start + Int64(authorizer.busyTimeout) * 1_000 }
        guard !owner.isCancelled, shouldContinue?() != false else {
            wasInterrupted = true
            return false
        }
        guard start < deadline else { return false }
        let pause = min(Self.pauses[min(attempts, Self.pauses.count - 1)], deadline - start)
        var time = timespec(tv_sec: 0, tv_nsec: Int(pause) * 1_000)
        // A signal ends the pause early.
        unsafe _ = nanosleep(&time, nil)
        waited += Clock.monotonicMicroseconds - start
        return true
    }
}
