@testable import EngineTestSupport
@testable import Lockstep

/// Asks the same question in several ways, after SQLancer's ideas, and reports where the answers differ.
///
/// - TLP (ternary logic partitioning): the rows for which a condition is true, false and NULL are all rows.
/// - NoREC (non-optimising reference engine construction): the number of rows found equals the number of rows for which
/// the condition is true when neither an index nor a rewrite can help.
/// - The twin: the sealed table answers as the plaintext one does.
struct TwinOracle: ~Copyable {
    private let database: TwinDatabase
    private var dice: HostileDice
    /// The number of queries compared.
    private(set) var comparisons = 0
    private(set) var differences: [String] = []

    init(seed: UInt64) throws {
        var dice = HostileDice(seed: seed)
        let database = try TwinDatabase.make(&dice)
        self.dice = dice
        self.database = database
    }

    /// Makes the sealed table's answer wrong, for the twin.
    func plant() throws { try database.plant() }

    /// Runs this many random conditions.
    mutating func run(conditions: Int) throws {
        for _ in 0..<conditions {
            let from = source()
            var predicates = TwinPredicate(dice: dice, columns: from.columns, other: ("{u}", database.tables[1].names))
            let condition = predicates.make()
            dice = predicates.dice
            try check(condition, from.text)
        }
        for table in database.tables { try lookUp(table) }
    }

    /// Tables are named {t} and {u} until either the sealed ones or the twins are chosen.
    private mutating func source() -> (text: String, columns: [String]) {
        let names = database.tables[0].names
        guard dice.chance(3) else { return ("{t} AS a", names.map { "a.\($0)" }) }
        let other = database.tables[1].names
        let join = dice.pick(["JOIN", "LEFT JOIN"])
        return (
            "{t} AS a \(join) {u} AS b ON a.\(dice.pick(names)) = b.\(dice.pick(other))",
            names.map { "a.\($0)" } + other.map { "b.\($0)" }
        )
    }

    /// The rows that match one condition.
    mutating func check(_ condition: String, _ from: String = "{t} AS a") throws {
        let (whole, chosen) = ("SELECT * FROM \(from)", "SELECT * FROM \(from) WHERE ")
        guard let all = try answer(whole), let rows = try answer(chosen + condition),
            let others = try answer(chosen + "NOT (\(condition))"),
            let unknown = try answer(chosen + "(\(condition)) IS NULL"),
            let count = try answer("SELECT count(*) FROM \(from) WHERE \(condition)"),
            let sum = try answer("SELECT total((\(condition)) IS TRUE) FROM \(from)")
        else { return }
        comparisons += 3
        let parts = rows.merging(others, uniquingKeysWith: +).merging(unknown, uniquingKeysWith: +)
        if parts != all { differences.append("TLP: \(chosen)\(condition)") }
        let found = rows.values.reduce(0, +)
        if count != [[.integer(Int64(found))]: 1] || sum != [[.real(Double(found))]: 1] {
            differences.append("NoREC: \(chosen)\(condition)")
        }
        for query in [
            chosen + condition,
            // Never one of several equal values, such as 1 and 1.0: the result can be any of them.
            "SELECT count(a.c0), count(DISTINCT a.c0), max(a.id) FROM \(from) WHERE \(condition)",
            "SELECT count(*), max(a.id) FROM \(from) GROUP BY a.c0 HAVING max(\(condition))",
            "SELECT a.id, a.c0 FROM \(from) WHERE \(condition) ORDER BY a.c0, a.id LIMIT 5",
        ] { try compareWithTwin(query) }
    }

    private mutating func compareWithTwin(_ query: String) throws {
        comparisons += 1
        if try answer(query) != answer(query, isTwin: true) { differences.append("twin: \(query)") }
    }

    /// Values are found by their tokens as by comparison.
    private mutating func lookUp(_ table: TwinDatabase.Table) throws {
        let values: [Value] = [.integer(1), .text("a"), .text(""), .text("A"), .blob([0x61])]
        for column in table.sealed where column.hasIndex {
            for value in values {
                let match = try database.connection.matching(column.name, of: table.name, .equal(value))
                let found = try database.connection.query(
                    "SELECT id FROM \(verbatim: table.open) WHERE \(match) ORDER BY id"
                ) { row in try row[0] as Value }
                let literal =
                    switch value {
                    case .integer(let number): "\(number)"
                    case .text(let text): SQLTokens.quoteText(text)
                    default: "x'61'"
                    }
                let expected = try database.connection.query(
                    SQL(
                        verbatim: "SELECT id FROM \(table.plain) WHERE \(column.name) = \(literal) "
                            + "AND typeof(\(column.name)) = typeof(\(literal)) ORDER BY id")
                ) { row in try row[0] as Value }
                comparisons += 1
                if found != expected {
                    differences.append("token: \(table.name).\(column.name) = \(literal)")
                }
            }
        }
    }

    /// Rows and how often each occurs, or nil for a query that fails.
    private func answer(_ query: String, isTwin: Bool = false) throws -> [[Value]: Int]? {
        var sql = query
        for table in database.tables {
            sql = sql.split(separator: "{\(table.name)}", omittingEmptySubsequences: false)
                .joined(separator: isTwin ? table.plain : table.open)
        }
        do {
            let rows = try database.connection.query(SQL(verbatim: sql)) { row in
                try (0..<row.count).map { try row[$0] as Value }
            }
            return rows.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        } catch let error as LockstepError where error.code == .sqlFailed {
            return nil
        }
    }
}
