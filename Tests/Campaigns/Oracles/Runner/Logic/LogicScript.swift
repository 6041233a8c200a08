/// SQL that changes something, and whether it must fail.
struct LogicStatement: Sendable {
    let line: Int
    let sql: String
    let mustFail: Bool
}

/// A query and its expected result.
struct LogicQuery: Sendable {
    enum Sorting: String { case nosort, rowsort, valuesort }

    let line: Int
    let sql: String
    /// I, T or R for each column.
    let types: [UInt8]
    let sorting: Sorting
    /// Queries with the same label must give the same result.
    let label: String?
    /// Results longer than this are expected as a digest; 0 for never.
    let threshold: Int
    /// Nil if the script expects no particular result.
    var expected: [String]?
}

/// A record of a script.
enum LogicRecord {
    case statement(LogicStatement)
    case query(LogicQuery)
    /// A query for other engines, whose result must agree with others of its label.
    case labelled(line: Int, label: String, digest: String)
    /// A record for other engines.
    case skipped
    case malformed(line: Int, String)
}

/// Reads the records of a script.
struct LogicScript {
    private static let engine = "sqlite"

    private var lines: LogicLines
    private var threshold = 8
    private var hasEnded = false

    init(_ bytes: [UInt8]) { lines = LogicLines(bytes) }

    /// The next record, or nil at the end or at a `halt`.
    mutating func next() -> LogicRecord? {
        while !hasEnded, var line = firstLine() {
            var isSkipped = false
            var words = line.words
            while let condition = words.first, ["skipif", "onlyif"].contains(condition) {
                let isOurs = words.count > 1 && words[1].lowercased() == Self.engine
                if isOurs == (condition == "skipif") { isSkipped = true }
                guard let following = lines.read() else { return nil }
                line = following
                words = line.words
            }
            if isSkipped { return skip(line, words) }
            switch words.first {
            case "statement": return statement(line, words)
            case "query": return query(line, words)
            case "hash-threshold": threshold = words.count > 1 ? Int(words[1]) ?? 0 : 0
            case "halt": hasEnded = true
            default: return malformed(line, "unknown record \(words.first ?? "")")
            }
        }
        return nil
    }

    private mutating func firstLine() -> LogicLines.Line? {
        while let line = lines.read() {
            if !line.isEmpty { return line }
        }
        return nil
    }

    /// The lines up to an empty one.
    private mutating func rest() -> [String] {
        var rest: [String] = []
        while let line = lines.read(), !line.isEmpty { rest.append(line.text) }
        return rest
    }

    private mutating func malformed(_ line: LogicLines.Line, _ what: String) -> LogicRecord {
        hasEnded = true
        return .malformed(line: line.number, what)
    }

    private mutating func statement(_ line: LogicLines.Line, _ words: [String]) -> LogicRecord {
        let sql = rest().joined(separator: "\n")
        guard words.count > 1, ["ok", "error"].contains(words[1]) else {
            return malformed(line, "a statement is ok or error")
        }
        return .statement(LogicStatement(line: line.number, sql: sql, mustFail: words[1] == "error"))
    }

    private mutating func query(_ line: LogicLines.Line, _ words: [String]) -> LogicRecord {
        let (sql, expected) = body()
        let types = words.count > 1 ? Array(words[1].utf8) : []
        guard !types.isEmpty, types.allSatisfy({ Array("TIR".utf8).contains($0) }) else {
            return malformed(line, "a query has a type of T, I and R")
        }
        guard let sorting = LogicQuery.Sorting(rawValue: words.count > 2 ? words[2] : "nosort")
        else { return malformed(line, "unknown sorting \(words[2])") }
        return .query(
            LogicQuery(
                line: line.number, sql: sql, types: types, sorting: sorting, label: label(words),
                threshold: threshold, expected: expected))
    }

    /// The SQL, and the lines after ----.
    private mutating func body() -> (String, [String]?) {
        var lines = rest()
        guard let mark = lines.firstIndex(of: "----") else {
            return (lines.joined(separator: "\n"), nil)
        }
        let expected = Array(lines[(mark + 1)...])
        lines.removeSubrange(mark...)
        return (lines.joined(separator: "\n"), expected)
    }

    private func label(_ words: [String]) -> String? {
        words.count > 3 ? String(words[3].prefix(20)) : nil
    }

    private mutating func skip(_ line: LogicLines.Line, _ words: [String]) -> LogicRecord {
        // A halt for other engines is one line, and its record ends like all others.
        let (_, expected) = body()
        guard words.first == "query", let label = label(words), let expected, !expected.isEmpty else { return .skipped }
        return .labelled(line: line.number, label: label, digest: LogicResult(expected).expectedDigest)
    }
}
