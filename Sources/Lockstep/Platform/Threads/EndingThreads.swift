internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

// A thread that ends frees what a library keeps for it. If the process ends at the same moment, the library frees
// everything from its exit handler, and the thread uses freed memory: a crash after all work was done. So a thread
// counts from the moment when it is asked to end until it has freed its part, and an exit handler waits until none
// counts. Handlers run in the reverse order of their registration, so ours is registered after the library's.

/// The worker threads that were asked to end, and have not yet freed what a library keeps for them.
enum EndingThreads {
    fileprivate static let count = Atomic<Int>(0)
    /// For tests: how long a thread takes to end, in microseconds.
    fileprivate static let delay = Atomic<Int>(0)
    /// For tests: whether the process ends without waiting.
    fileprivate static let isIgnored = Atomic<Bool>(false)

    /// Frees what a library keeps for the thread that calls it.
    typealias Release = @Sendable () -> Void
    private static let release = Mutex<Release?>(nil)

    /// Waits for ending threads when the process ends. Called once, after the library has registered its own handler.
    static func watch(_ release: @escaping Release) {
        Self.release.withLock { $0 = release }
        _ = mark
        atexit { EndingThreads.wait() }
    }

    /// Called by the thread that asks another to end.
    static func begin() { count.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    /// Called by the thread that ends, after its last use of a library.
    static func end() {
        let delay = delay.load(ordering: .relaxed)
        if delay > 0 { pause(delay) }
        release.withLock { $0 }?()
        count.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }

    private static let mark = ForkMark.current

    private static func wait() {
        // A forked child has none of its parent's threads.
        guard ForkMark.current == mark, !isIgnored.load(ordering: .relaxed) else { return }
        // Five seconds at most: a thread can have a long job left, and the one that ends the process can be one of
        // them.
        for _ in 0..<5000 where count.load(ordering: .acquiring) > 0 { pause(1000) }
    }

    private static func pause(_ microseconds: Int) {
        var time = timespec(tv_sec: 0, tv_nsec: microseconds * 1000)
        unsafe _ = nanosleep(&time, nil)
    }
}

/// How many worker threads are ending: for the tests' programs.
package func endingThreads() -> Int { EndingThreads.count.load(ordering: .acquiring) }

/// Makes each worker thread take this long to end, and the process perhaps not wait for that: for the tests' programs.
package func slowThreadEnds(microseconds: Int, isWaitedFor: Bool) {
    EndingThreads.delay.store(microseconds, ordering: .relaxed)
    EndingThreads.isIgnored.store(!isWaitedFor, ordering: .relaxed)
}
