internal import CSQLCipher

/// Ends work on a connection that exceeds its time limit. SQLite checks only between a statement's
/// instructions: one call of a function, or the sort of collected rows, finishes first.
final class StatementTimer {
    /// How many instructions SQLite's virtual machine runs between two checks: some 0.1 to 1 ms.
    static let interval = 10_000

    private let limit: Duration?
    /// When the work on the connection must have ended.
    let deadline: ContinuousClock.Instant?
    /// When the current statement began.
    private var began: ContinuousClock.Instant?
    /// Why the timer interrupted the current statement.
    private var overrun: LockstepError?

    /// Whether the ``deadline`` has passed.
    var isOver: Bool { deadline.map { $0 <= .now } ?? false }

    /// Nil if there is no limit.
    init?(limit: Duration?, deadline: ContinuousClock.Instant?) {
        guard limit != nil || deadline != nil else { return nil }
        self.limit = limit
        self.deadline = deadline
    }

    /// Returns the start time of a statement that begins now.
    /// - Throws: ``LockstepError/Code/limitExceeded`` if the deadline has passed.
    func begin(_ what: @autoclosure () -> String) throws(LockstepError) -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        if let deadline, now >= deadline { throw Self.pastDeadline(what()) }
        return now
    }

    /// Sets the start of the statement that runs now, and returns that of the statement around it.
    func enter(_ start: ContinuousClock.Instant?) -> ContinuousClock.Instant? {
        let outer = began
        began = start
        return outer
    }

    func leave(_ outer: ContinuousClock.Instant?) { began = outer }

    /// Whether the current statement must end.
    func mustEnd() -> Bool {
        let now = ContinuousClock.now
        if let deadline, now >= deadline {
            overrun = Self.pastDeadline(nil)
            return true
        }
        guard let limit, let began, began.duration(to: now) >= limit else { return false }
        overrun = LockstepError(
            .limitExceeded, "the statement took longer than its limit of \(limit)",
            hint: "process less at a time, or raise ConnectionOptions.timeLimit")
        return true
    }

    /// The error of a statement that SQLite interrupted, if a limit ended it.
    func error(_ code: Int32, in sql: String?) -> LockstepError? {
        guard code == SQLITE_INTERRUPT, let overrun else { return nil }
        self.overrun = nil
        let place = sql.map { " in: \(SQLTokens.redact($0))" } ?? ""
        return LockstepError(overrun.code, overrun.message + place, advice: overrun.advice, sqliteCode: code)
    }

    private static func pastDeadline(_ what: String?) -> LockstepError {
        let place = what.map { ", so this was not started: \($0)" } ?? ""
        return LockstepError(
            .limitExceeded, "the time limit is over\(place)",
            advice: "process less at a time, or raise the limit: \(.timeLimit)")
    }
}
