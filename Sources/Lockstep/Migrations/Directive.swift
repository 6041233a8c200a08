/// What a `-- lockstep:` comment asks for.
enum Directive: Sendable, Equatable {
    /// The next CREATE TABLE replaces this table's definition and keeps its rows.
    case rebuild(table: String)
    /// In a rebuild: what a column of the new table is computed from.
    case set(column: String, expression: String)
    /// In a rebuild: a column that the new table does without.
    case dropColumn(String)
    case allowLoss(table: String)
    /// The table's foreign keys may refer to what is not there: another version will mend that, or nobody.
    case allowBrokenReferences(table: String)
    case foreignKeysOff
    /// The script runs outside a transaction, for the few statements that SQLite refuses in one.
    case noTransaction
    /// The next statement runs over the table in batches of so many rows.
    case backfill(table: String, batch: Int)
    /// What stands in double quotes and names no column is text: SQLite's old rule, for files that were
    /// written under it.
    case doubleQuotedTexts

    /// What a comment asks for, if it is a directive: `--` and `lockstep:`, with or without space and in
    /// any case, or a slip of the pen would quietly turn a way down into part of the way up.
    static func content(of comment: String) -> String? {
        guard comment.hasPrefix("--") else { return nil }
        let text = comment.dropFirst(2).trimmingSpace()
        // Most comments are none, and there are many.
        guard let first = text.utf8.first, first | 0x20 == UInt8(ascii: "l") else { return nil }
        let name = text.prefix { $0 != ":" && !$0.isWhitespace }
        let rest = text.dropFirst(name.count).trimmingSpace()
        guard name.asciiLowercased == "lockstep", rest.first == ":" else { return nil }
        return String(rest.dropFirst().trimmingSpace())
    }

    /// Reads what follows the prefix; nil if it is nothing this version knows.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        let tokens = SQLTokens(text).filter { $0.kind != .space }
        let words = tokens.map { String(decoding: bytes[$0.range], as: UTF8.self) }
        let lower = words.map(\.asciiLowercased)
        switch (lower.first, words.count) {
        case ("rebuild", 3) where lower[1] == "table":
            self = .rebuild(table: SQLTokens.unquote(words[2]))
        case ("allow", 5) where lower[1...3] == ["loss", "of", "table"]:
            self = .allowLoss(table: SQLTokens.unquote(words[4]))
        case ("allow", 6) where lower[1...4] == ["broken", "references", "of", "table"]:
            self = .allowBrokenReferences(table: SQLTokens.unquote(words[5]))
        case ("foreign", 3) where lower[1...2] == ["keys", "off"]: self = .foreignKeysOff
        case ("double", 3) where lower[1...2] == ["quoted", "texts"]: self = .doubleQuotedTexts
        case ("no", 2) where lower[1] == "transaction": self = .noTransaction
        case ("backfill", 5) where lower[2...3] == ["batch", "="]:
            guard let batch = Int(words[4]), (1...1_000_000).contains(batch) else { return nil }
            self = .backfill(table: SQLTokens.unquote(words[1]), batch: batch)
        case ("drop", 3) where lower[1] == "column":
            self = .dropColumn(SQLTokens.unquote(words[2]))
        case ("set", 4...) where words[2] == "=":
            let expression = String(
                decoding: bytes[tokens[2].range.upperBound...], as: UTF8.self)
            self = .set(
                column: SQLTokens.unquote(words[1]),
                expression: String(expression[...].trimmingSpace()))
        default: return nil
        }
    }

    /// The text that reads as it.
    var spelling: String {
        switch self {
        case .foreignKeysOff: "foreign keys off"
        case .noTransaction: "no transaction"
        case .doubleQuotedTexts: "double quoted texts"
        case .backfill(let table, let batch):
            "backfill \(SQLTokens.quote(table)) batch=\(batch)"
        case .rebuild(let table): "rebuild table \(SQLTokens.quote(table))"
        case .set(let column, let expression): "set \(SQLTokens.quote(column)) = \(expression)"
        case .dropColumn(let column): "drop column \(SQLTokens.quote(column))"
        case .allowLoss(let table): "allow loss of table \(SQLTokens.canonicalName(table))"
        case .allowBrokenReferences(let table):
            "allow broken references of table \(SQLTokens.canonicalName(table))"
        }
    }

    static let known =
        "up, down, rebuild table T, set C = EXPRESSION, drop column C, allow loss of table T, "
        + "allow broken references of table T, foreign keys off, no transaction, double quoted texts, backfill T batch=N"

    /// Those that can also be said of a file from outside.
    static let declarable =
        "allow loss of table T, allow broken references of table T, foreign keys off"
}

extension Substring {
    /// Without white space at either end.
    func trimmingSpace() -> Substring {
        var text = self
        while let byte = text.utf8.first {
            // Asking Unicode takes its time.
            guard byte >= 0x80 ? text.first?.isWhitespace == true : Self.isSpace(byte) else {
                break
            }
            text.removeFirst()
        }
        while let byte = text.utf8.last {
            guard byte >= 0x80 ? text.last?.isWhitespace == true : Self.isSpace(byte) else { break }
            text.removeLast()
        }
        return text
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || (0x09...0x0D).contains(byte)
    }
}
