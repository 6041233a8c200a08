import Lockstep
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Handles Ctrl-C and termination signals while a database is copied: the copy stops cleanly and its unfinished file is
/// removed. If the process were killed instead, the file would remain under a hidden name; an export's is plaintext.
enum Interruption {
    private static let received = Atomic<Bool>(false)

    /// From now on, leaves the first signal to ``check()``. A second one ends the process at once.
    static func expect() {
        guard Output.sink == nil else { return }
        // Initialized here, so that the signal handler does not have to.
        received.store(false, ordering: .relaxed)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let before = signal(number) { number in
                Interruption.received.store(true, ordering: .relaxed)
                _ = signal(number, SIG_DFL)
            }
            // If the parent process ignores the signal, as for a program in the background, keep ignoring it.
            if isIgnored(before) { _ = signal(number, SIG_IGN) }
        }
    }

    /// Whether a signal has arrived. Any thread may call this.
    static var isRequested: Bool { received.load(ordering: .relaxed) }

    /// Ends a connection's statement once a signal has arrived. About 0.1 to 1 ms pass between two checks.
    static var handler: ProgressHandler { ProgressHandler(every: 10_000) { !isRequested } }

    /// - Throws: ``LockstepError/Code/interrupted`` if a signal has arrived.
    static func check() throws {
        Output.sink?.atStep()
        guard isRequested else { return }
        throw LockstepError(.interrupted, "interrupted: unfinished files are removed")
    }

    private static func isIgnored(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
