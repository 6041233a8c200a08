#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// A lock with which threads can wait until another thread signals a change.
// Sendable by this proof: `mutex` and `condition` are constant, and the POSIX objects that they point to never move and
// are designed for use by several threads.
@safe
final class WaitCondition: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        // With default attributes, neither call can fail on the supported systems.
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_cond_init(condition, nil)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` while no other thread holds the lock.
    func locked<Result, Failure>(
        _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Must be called inside ``locked(_:)``. Releases the lock until ``signal()``. It can return spuriously, so callers
    /// must wait in a loop.
    func wait() { unsafe pthread_cond_wait(condition, mutex) }

    /// Wakes one waiting thread.
    func signal() { unsafe pthread_cond_signal(condition) }

    /// Wakes all waiting threads.
    func broadcast() { unsafe pthread_cond_broadcast(condition) }
}
