internal import CSQLCipher

/// The program's callbacks on a connection.
final class Hooks {
    /// While the engine's own commands run, the progress handler is not called.
    var isPaused = false
    /// While internal statements run, the trace does not report them either.
    var isSilent = false
    private let trace: (@Sendable (TraceEvent) -> Void)?
    let progress: ProgressHandler?
    private let timer: StatementTimer?
    /// The number of instructions between SQLite's calls.
    private let interval: Int
    /// How many instructions have run since the program was last asked.
    private var instructions = 0

    init(trace: (@Sendable (TraceEvent) -> Void)?, progress: ProgressHandler?, _ timer: StatementTimer?) {
        self.trace = trace
        self.progress = progress
        self.timer = timer
        let own = progress.map { max($0.interval, 1) }
        interval =
            timer == nil
            ? own ?? 0 : min(own ?? StatementTimer.interval, StatementTimer.interval)
    }

    /// Installs the callbacks that are set. Not before the connection is keyed: a trace must not see the key.
    /// The connection keeps this object alive as long as the handle calls it.
    func install(on database: OpaquePointer) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        if trace != nil {
            unsafe sqlite3_trace_v2(
                database, UInt32(SQLITE_TRACE_PROFILE),
                { _, context, statement, nanoseconds in
                    if let context = unsafe context, let statement = unsafe statement,
                        let nanoseconds = unsafe nanoseconds
                    {
                        unsafe Unmanaged<Hooks>.fromOpaque(context).takeUnretainedValue().report(
                            OpaquePointer(statement), nanoseconds.load(as: Int64.self))
                    }
                    return 0
                }, context)
        }
        if interval > 0 {
            unsafe sqlite3_progress_handler(
                database, Int32(clamping: interval),
                { context in
                    guard let context = unsafe context else { return 0 }
                    let hooks = unsafe Unmanaged<Hooks>.fromOpaque(context).takeUnretainedValue()
                    guard !hooks.isPaused, !hooks.isSilent else { return 0 }
                    return hooks.goesOn() ? 0 : 1
                }, context)
        }
    }

    /// Checks the time on each call, and asks the program as often as its interval says.
    private func goesOn() -> Bool {
        if let timer, timer.mustEnd() { return false }
        guard let progress else { return true }
        instructions += interval
        guard instructions >= progress.interval else { return true }
        instructions = 0
        return progress.shouldContinue()
    }

    private func report(_ statement: OpaquePointer, _ nanoseconds: Int64) {
        guard !isSilent, let sql = unsafe sqlite3_sql(statement) else { return }
        trace?(TraceEvent(sql: SQLTokens.redact(unsafe String(cString: sql)), duration: .nanoseconds(nanoseconds)))
    }
}
