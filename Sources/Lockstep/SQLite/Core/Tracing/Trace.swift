internal import CSQLCipher

extension ConnectionOptions {
    /// The same for procedures that migrate, with statements that end as soon as `goOn` says no.
    /// - Parameter isChecked: Whether the procedure has opened the same database before.
    func asking(
        _ goOn: @escaping @Sendable () -> Bool, isChecked: Bool = false
    ) -> ConnectionOptions {
        var options = self
        let own = progress
        // 10,000 instructions are some 0.1 to 1 ms.
        options.progress = ProgressHandler(every: own?.interval ?? 10_000) {
            goOn() && own?.goOn() != false
        }
        options.addition = addition?.migrating(isChecked: isChecked)
        return options
    }
}

/// What a connection calls into the program for.
final class Hooks {
    /// While the engine's own commands run, progress is not asked for.
    var isPaused = false
    /// While statements that are nobody's run, they are not told of either.
    var isSilent = false
    private let trace: (@Sendable (TraceEvent) -> Void)?
    private let progress: ProgressHandler?
    private let timer: StatementTimer?
    /// After how many instructions SQLite calls.
    private let interval: Int
    /// How many instructions have run since the program was asked.
    private var instructions = 0

    init(_ options: ConnectionOptions, _ timer: StatementTimer?) {
        trace = options.trace
        progress = options.progress
        self.timer = timer
        let own = progress.map { max($0.interval, 1) }
        interval =
            timer == nil
            ? own ?? 0 : min(own ?? StatementTimer.interval, StatementTimer.interval)
    }

    /// Installs what there is. Not before the connection is keyed: nothing of the key may be traced. The
    /// connection keeps this object as long as the handle calls.
    func install(on database: OpaquePointer) {
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        if trace != nil {
            unsafe sqlite3_trace_v2(
                database, UInt32(SQLITE_TRACE_PROFILE),
                { _, context, statement, nanoseconds in
                    if let context = unsafe context, let statement = unsafe statement,
                        let nanoseconds = unsafe nanoseconds
                    {
                        unsafe Unmanaged<Hooks>.fromOpaque(context).takeUnretainedValue().tell(
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

    /// The time is looked at each time, the program is asked as often as it wants to be.
    private func goesOn() -> Bool {
        if let timer, timer.mustEnd() { return false }
        guard let progress else { return true }
        instructions += interval
        guard instructions >= progress.interval else { return true }
        instructions = 0
        return progress.goOn()
    }

    private func tell(_ statement: OpaquePointer, _ nanoseconds: Int64) {
        guard !isSilent, let sql = unsafe sqlite3_sql(statement) else { return }
        trace?(
            TraceEvent(
                sql: SQLTokens.redact(unsafe String(cString: sql)),
                duration: .nanoseconds(nanoseconds)))
    }
}
