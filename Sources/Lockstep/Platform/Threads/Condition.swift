#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// A lock that threads can wait under until another says that something has changed.
// Sendable by this proof: the two POSIX objects never move and are made to be shared by threads.
@safe
final class Condition: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>

    init() {
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        // With default attributes neither can fail on the systems that this runs on.
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

    /// Within ``locked(_:)``: lets go of the lock until ``signal()``, perhaps without reason. Callers wait
    /// in a loop.
    func wait() { unsafe pthread_cond_wait(condition, mutex) }

    /// Wakes one thread that waits.
    func signal() { unsafe pthread_cond_signal(condition) }

    /// Wakes every thread that waits.
    func broadcast() { unsafe pthread_cond_broadcast(condition) }
}

/// Keeps threads waiting until it is opened, for good.
// Sendable by this proof: `isOpen` is touched only while the condition's lock is held.
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
