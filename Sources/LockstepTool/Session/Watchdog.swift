import Lockstep

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Ends the process if the time limit passes and the work does not notice: SQLite checks the time between the
/// instructions of a statement, and one instruction, such as a LIKE with many wildcards, can take hours.
///
/// The next program that opens the database undoes uncommitted writes, as after a crash.
enum Watchdog {
    private static let message: StaticString = """
        error: the time limit is over, and the running step did not end: the command was stopped
        hint: raise the limit with --timeout

        """

    /// Waits for `limit`, then for the time that work which notices the limit needs to stop cleanly.
    static func start(after limit: Duration) {
        // Initialized here: the signal handler must not initialize anything.
        _ = unsafe Self.message.utf8Start
        _ = signal(SIGALRM) { _ in
            _ = unsafe write(STDERR_FILENO, Watchdog.message.utf8Start, Watchdog.message.utf8CodeUnitCount)
            _exit(Exit.failed.rawValue)
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
