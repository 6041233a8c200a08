internal import Lockstep

/// Cuts a script into its statements, by PostgreSQL's own tokens. As in psql, a statement ends with a semicolon outside
/// parentheses and outside the body of a function or procedure in standard SQL, `BEGIN ATOMIC … END`.
///
/// Each statement is sent by itself with the extended protocol, which refuses two in one: a wrong cut fails, and never
/// runs half.
struct StatementCutter {
    struct Statement: Equatable {
        /// The text, with the comments inside it.
        let sql: String
        /// The line of its first token, from 1, counted from the script's first.
        let line: Int
        /// Its first words, in lower case.
        let words: [String]
    }

    /// A backslash where a statement begins, as in a command of psql.
    struct Backslash: Error {
        let line: Int
    }

    static func statements(_ sql: String) throws(Backslash) -> [Statement] {
        let bytes = Array(sql.utf8)
        var cutter = StatementCutter(bytes)
        for token in SQLTokens(bytes, from: 0, .postgres) { try cutter.take(token) }
        cutter.finish()
        return cutter.statements
    }

    private let bytes: [UInt8]
    private var statements: [Statement] = []
    private var line = 1
    private var start: (byte: Int, line: Int)?
    private var end = 0
    private var words: [String] = []
    private var parentheses = 0
    /// How many BEGIN and CASE are open in the body of a routine.
    private var blocks = 0

    private init(_ bytes: [UInt8]) { self.bytes = bytes }

    private mutating func take(_ token: SQLTokens.Token) throws(Backslash) {
        defer { line += bytes[token.range].count { $0 == UInt8(ascii: "\n") } }
        guard token.kind != .space, token.kind != .comment else { return }
        let first = bytes[token.range.lowerBound]
        if token.kind == .symbol, first == UInt8(ascii: ";"), parentheses == 0, blocks == 0 {
            return finish()
        }
        if start == nil {
            guard first != UInt8(ascii: "\\") else { throw Backslash(line: line) }
            start = (token.range.lowerBound, line)
        }
        end = token.range.upperBound
        switch (token.kind, first) {
        case (.symbol, UInt8(ascii: "(")): parentheses += 1
        case (.symbol, UInt8(ascii: ")")): parentheses = max(parentheses - 1, 0)
        case (.word, _):
            take(word: String(decoding: bytes[token.range], as: UTF8.self).asciiLowercased)
        default: break
        }
    }

    private mutating func take(word: String) {
        if words.count < Self.kept { words.append(word) }
        guard parentheses == 0, isRoutine else { return }
        switch word {
        case "begin": blocks += 1
        case "case" where blocks > 0: blocks += 1
        case "end": blocks = max(blocks - 1, 0)
        default: break
        }
    }

    private var isRoutine: Bool {
        guard words.first == "create" else { return false }
        let rest = words.dropFirst().starts(with: ["or", "replace"]) ? words.dropFirst(3) : words.dropFirst()
        return rest.first == "function" || rest.first == "procedure"
    }

    private mutating func finish() {
        defer { (start, words, parentheses, blocks) = (nil, [], 0, 0) }
        guard let start else { return }
        statements.append(
            Statement(sql: String(decoding: bytes[start.byte..<end], as: UTF8.self), line: start.line, words: words))
    }

    private static let kept = 64
}
