#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A lock with which threads can wait until another thread signals a change.
// Sendable by this proof: the two POSIX objects never move and are designed for use by several threads.
@safe
final class Condition: @unchecked Sendable {
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
    func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
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

/// Makes threads wait until it is opened; it then stays open.
// Sendable by this proof: `isOpen` is accessed only while the condition's lock is held.
final class Latch: @unchecked Sendable {
    private let changed = Condition()
    private var isOpen = false

    func open() {
        changed.locked {
            isOpen = true
            changed.broadcast()
        }
    }

    func wait() { changed.locked { while !isOpen { changed.wait() } } }
}
