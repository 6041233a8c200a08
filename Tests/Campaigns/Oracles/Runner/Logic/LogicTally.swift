import Lockstep

/// The work done, and its results.
struct LogicTally {
    var files = 0
    var statements = 0
    var queries = 0
    var values = 0
    var skipped = 0
    /// Queries whose script expects no particular result.
    var unexpecting = 0
    /// Queries that fail at run time, as the suite expects.
    var endedEarly = 0
    var wrong = 0
    /// Statements that Lockstep refuses on purpose, by reason.
    private(set) var refusals: [String: Int] = [:]

    private static let maximumShown = 40

    mutating func isWrong(_ file: String, _ line: Int, _ what: String) {
        wrong += 1
        if wrong <= Self.maximumShown { say("\(file):\(line): wrong: \(what)") }
    }

    /// Whether Lockstep refused the SQL on purpose; such refusals are counted.
    mutating func isRefusal(_ error: any Error) -> Bool {
        guard let error = error as? LockstepError, error.code == .denied else { return false }
        refusals[error.message, default: 0] += 1
        return true
    }

    func report() {
        say(
            "sqllogictest: \(files) files, \(statements) statements, \(queries) queries, "
                + "\(values) values, \(skipped) records for other engines, "
                + "\(unexpecting) queries without a result, " + "\(endedEarly) that fail as they run")
        for (reason, count) in refusals.sorted(by: { $0.key < $1.key }) {
            say("refused on purpose: \(count) × \(reason)")
        }
        say("sqllogictest: \(wrong) wrong")
    }
}
