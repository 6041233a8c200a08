/// The change that an ALTER TABLE statement makes.
enum AlterStatement: Equatable {
    case renameTable
    /// The old name, in lower case.
    case renameColumn(String)
    case addColumn(refers: Bool)
    /// The name, in lower case.
    case dropColumn(String)

    /// Nil for any other SQL.
    init?(_ sql: String) {
        let bytes = Array(sql.utf8)
        let tokens = SQLTokens(bytes, from: 0).filter { $0.kind != .space && $0.kind != .comment }
            .map { (text: String(decoding: bytes[$0.range], as: UTF8.self), kind: $0.kind) }
        // The position distinguishes names from keywords.
        var rest = tokens[...]
        func next() -> String { rest.popFirst()?.text ?? "" }
        func isNext(_ word: String) -> Bool { rest.first?.text.asciiLowercased == word }
        guard next().asciiLowercased == "alter", next().asciiLowercased == "table" else {
            return nil
        }
        _ = next()
        if isNext(".") {
            _ = next()
            _ = next()
        }
        switch next().asciiLowercased {
        case "rename":
            if isNext("to") {
                self = .renameTable
                return
            }
            if isNext("column"), rest.count > 3 { _ = next() }
            self = .renameColumn(SQLTokens.unquote(next()).asciiLowercased)
        case "add":
            self = .addColumn(
                refers: rest.contains { $0.text.asciiLowercased == "references" })
        case "drop":
            if isNext("column"), rest.count > 1 { _ = next() }
            self = .dropColumn(SQLTokens.unquote(next()).asciiLowercased)
        default: return nil
        }
    }
}
