import Lockstep

/// The allowed results of a schedule: that of one of the two orders, or one operation refused and the other done.
struct Judge {
    let schedule: Schedule
    /// A, then B; B, then A.
    let orders: [Schedule.Result]
    /// The folder's content after A alone, after B alone, and after neither.
    let firstAlone: String
    let secondAlone: String
    let neither: String

    /// Accurate refusals: another process was at work. Others are false alarms.
    private static let calm: Set<LockstepError.Code> = [
        .busy, .locked, .replaced, .keyringConflict, .keyringChanged, .keyringOutdated, .interrupted,
    ]

    /// The refused operation, and its error.
    func refusals(of result: Schedule.Result) -> [String] {
        var names: [String] = []
        if let code = result.first?.code { names.append("\(schedule.name): A \(code.rawValue)") }
        if let code = result.second?.code { names.append("\(schedule.name): B \(code.rawValue)") }
        return names
    }

    /// Results that match neither order.
    func findings(_ result: Schedule.Result) -> [String] {
        var findings: [String] = []
        let defaultFirst: [Operation.Outcome] = orders.compactMap(\.first)
        let defaultSecond: [Operation.Outcome] = orders.compactMap(\.second)
        if let outcome = result.first, !isExpected(outcome, defaultFirst) {
            findings.append("A is \(outcome.text)")
        }
        if let outcome = result.second, !isExpected(outcome, defaultSecond) {
            findings.append("B is \(outcome.text)")
        }
        for order in orders where order.content.contains("does not open") {
            findings.append("one after the other: \(order.content.prefix(200))")
        }
        let expected = contents(result)
        if !expected.contains(result.content) {
            let first = result.first?.text ?? "nothing"
            let second = result.second?.text ?? "nothing"
            let differences = expected.map { Self.difference(result.content, $0) }
            findings.append("A is \(first), B is \(second): \(differences.joined(separator: "; or "))")
        }
        return findings
    }

    /// A refusal or report that also occurs in an order is justified.
    private func isExpected(_ outcome: Operation.Outcome, _ usual: [Operation.Outcome]) -> Bool {
        if usual.contains(outcome) { return true }
        if let code = outcome.code {
            // A program that reads its keyring before the rotation and opens the file after it.
            let isRotated = [schedule.first, schedule.second].contains(.rotate)
            return Self.calm.contains(code) || code == .wrongKey && isRotated
        }
        return outcome == .done("")
    }

    /// The parts that `content` lacks and has in addition, compared with `expected`; the first of each.
    private static func difference(_ content: String, _ expected: String) -> String {
        let parts = content.split(separator: ", ")
        let expectedParts = expected.split(separator: ", ")
        let missing = Set(expectedParts).subtracting(parts).sorted().prefix(4)
        let added = Set(parts).subtracting(expectedParts).sorted().prefix(4)
        return "lacks [\(missing.joined(separator: ", "))], has [\(added.joined(separator: ", "))]"
    }

    private func contents(_ result: Schedule.Result) -> [String] {
        let isFirst = result.first?.isDone ?? false
        let isSecond = result.second?.isDone ?? false
        // Even in an order one can be refused: a sealed column is not sealed again.
        let alike = orders.filter {
            ($0.first?.isDone ?? false) == isFirst && ($0.second?.isDone ?? false) == isSecond
        }
        var contents = alike.map(\.content)
        if !isSecond, isFirst || mayBeDone(schedule.first) { contents.append(firstAlone) }
        if !isFirst, isSecond || mayBeDone(schedule.second) { contents.append(secondAlone) }
        if !isFirst, !isSecond { contents.append(neither) }
        if isFirst || mayBeDone(schedule.first), isSecond || mayBeDone(schedule.second) {
            contents += orders.map(\.content)
        }
        return contents
    }

    /// Whether a refusal can come after the work: a completed seal reports that the log still contains the plaintext.
    private func mayBeDone(_ operation: Operation) -> Bool { operation == .seal }
}
