import Lockstep
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ctrl-C, or being told to end, while a database is copied: the copy ends in order, and what was made so
/// far is removed. Killed in the middle, it would stay under a hidden name, and an export's is plaintext.
enum Interruption {
    private static let isRequested = Atomic<Bool>(false)

    /// Leaves the first such signal to ``check()`` from now on; a second one ends the process at once.
    static func expect() {
        // Used here first, so that the handler does not have to make it.
        isRequested.store(false, ordering: .relaxed)
        for number in [SIGINT, SIGTERM, SIGHUP] {
            let before = signal(number) { number in
                Interruption.isRequested.store(true, ordering: .relaxed)
                _ = signal(number, SIG_DFL)
            }
            // Whoever starts a program in the background may want it to be left alone.
            if isIgnored(before) { _ = signal(number, SIG_IGN) }
        }
    }

    /// Whether the signal has come. Any thread may ask.
    static var hasCome: Bool { isRequested.load(ordering: .relaxed) }

    /// - Throws: ``LockstepError/Code/interrupted`` if the signal has come.
    static func check() throws {
        guard hasCome else { return }
        throw LockstepError(.interrupted, "interrupted: what was made so far is removed")
    }

    private static func isIgnored(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        unsafe unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
