import Lockstep

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Ends the process where a time limit is over and the work does not notice: SQLite looks at the time between
/// the instructions of a statement, and one instruction, such as a LIKE with many wildcards, can take hours.
///
/// What was written to a database and not committed is undone by the next program that opens it, as after a crash.
enum Watchdog {
    private static let message: StaticString = """
        error: the time limit is over, and the step that ran would not end: the command was stopped
        hint: raise the limit with --timeout

        """

    /// Waits for `limit`, and then for as long as work that notices the end needs to end in order.
    static func start(after limit: Duration) {
        // Made here: the handler must not make anything.
        _ = (unsafe Self.message.utf8Start, Exit.failed)
        _ = signal(SIGALRM) { _ in
            _ = unsafe write(
                STDERR_FILENO, Watchdog.message.utf8Start, Watchdog.message.utf8CodeUnitCount)
            _exit(Exit.failed)
        }
        let timeout = limit + max(limit / 10, .seconds(2))
        let parts = timeout.components
        var timer = itimerval()
        timer.it_value.tv_sec = time_t(parts.seconds)
        timer.it_value.tv_usec = suseconds_t(parts.attoseconds / 1_000_000_000_000)
        #if canImport(Glibc)
            _ = unsafe setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
        #else
            _ = unsafe setitimer(ITIMER_REAL, &timer, nil)
        #endif
    }
}
