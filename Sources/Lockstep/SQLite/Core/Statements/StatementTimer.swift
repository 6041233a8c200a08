internal import CSQLCipher

/// Ends what runs on a connection for longer than it may. SQLite looks only between the instructions of a
/// statement: one call of a function, or the sorting of rows that are collected, comes to its end first.
final class StatementTimer {
    /// How many instructions of SQLite's virtual machine lie between two looks: some 0.1 to 1 ms.
    static let interval = 10_000

    private let limit: Duration?
    private let deadline: ContinuousClock.Instant?
    /// When the statement began that runs now.
    private var began: ContinuousClock.Instant?
    /// Why the statement that SQLite gives up was to end.
    private var overrun: LockstepError?

    /// Nil where nothing is limited.
    init?(_ options: ConnectionOptions) {
        guard options.timeLimit != nil || options.deadline != nil else { return nil }
        limit = options.timeLimit
        deadline = options.deadline
    }

    /// When a statement that begins now has begun.
    /// - Throws: ``LockstepError/Code/limitExceeded`` if nothing may begin any more.
    func begin(_ what: @autoclosure () -> String) throws(LockstepError) -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        if let deadline, now >= deadline { throw Self.pastDeadline(what()) }
        return now
    }

    /// Takes note of the statement that runs from now on, and gives when the one began that it runs within.
    func enter(_ start: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
        let outer = began
        began = start
        return outer
    }

    func leave(_ outer: ContinuousClock.Instant?) { began = outer }

    /// Whether the statement that runs must end.
    func mustEnd() -> Bool {
        let now = ContinuousClock.now
        if let deadline, now >= deadline {
            overrun = Self.pastDeadline(nil)
            return true
        }
        guard let limit, let began, began.duration(to: now) >= limit else { return false }
        overrun = LockstepError(
            .limitExceeded, "it took longer than the \(limit) that a statement may take",
            hint: "ask for less at once, or raise ConnectionOptions.timeLimit")
        return true
    }

    /// The error of a statement that SQLite has given up, if a limit ended it.
    func error(_ code: Int32, in sql: String?) -> LockstepError? {
        guard code == SQLITE_INTERRUPT, let overrun else { return nil }
        self.overrun = nil
        let place = sql.map { " in: \(SQLTokens.redact($0))" } ?? ""
        return LockstepError(
            overrun.code, overrun.message + place, hint: overrun.hint, sqliteCode: code)
    }

    private static func pastDeadline(_ what: String?) -> LockstepError {
        let place = what.map { ", and this was not begun: \($0)" } ?? ""
        return LockstepError(
            .limitExceeded, "the time limit is over\(place)",
            hint: "ask for less at once, or raise the limit: --timeout, in a program "
                + "ConnectionOptions.deadline")
    }
}

extension Connection {
    /// Goes on only before the connection's deadline: for work between statements that takes time.
    /// - Throws: ``LockstepError/Code/limitExceeded``.
    package borrowing func requireTime() throws(LockstepError) { try core.requireTime() }
}
