internal import Lockstep

/// Which columns of its result a statement says to be sealed, by its own text: what the server says of them is no
/// proof, and another relation can stand before the table that the text names.
struct SealedMentions {
    /// The names in the result under which sealed columns are expected, also those that the text gives them.
    private var names: Set<SQLName> = []
    /// All names in the text.
    private var words: Set<SQLName> = []
    /// For each item of the select list, whether it has a sealed column in it; nil if the list does not say how many
    /// columns there are.
    private var items: [Bool]?

    /// - Parameters:
    ///   - text: The statement.
    ///   - columns: All sealed columns that the connection knows.
    init(_ text: String, _ columns: some Sequence<ServerColumn>) {
        let pieces = Self.pieces(text)
        words = Set(pieces.compactMap(\.name))
        for column in columns where words.contains(SQLName(column.table.shape.name)) {
            names.insert(SQLName(column.column.name))
        }
        guard !names.isEmpty else { return }
        while let alias = Self.alias(pieces, of: names) { names.insert(alias) }
        items = Self.items(pieces).map { $0.map { item in item.contains { $0.map(names.contains) ?? false } } }
    }

    /// Whether the text names no sealed column's table.
    var isEmpty: Bool { names.isEmpty }

    /// Whether the value in a column of the result must come from a sealed column.
    func expectsSealed(_ column: Int, _ result: ServerResult) -> Bool {
        if names.contains(SQLName(result.name(column))) { return true }
        guard let items, items.count == result.columnCount, result.type(column) == ServerType.bytea else {
            return false
        }
        return items[column]
    }

    /// Whether the text has this name.
    func mentions(_ name: String) -> Bool { words.contains(SQLName(name)) }

    // MARK: Reading

    private struct Piece {
        /// The name, if it can be one.
        let name: SQLName?
        /// The word in lower case, or the symbol; empty for anything else.
        let text: String
    }

    private static func pieces(_ sql: String) -> [Piece] {
        let bytes = Array(sql.utf8)
        return SQLTokens(bytes, from: 0, .postgres).compactMap { token in
            let text = String(decoding: bytes[token.range], as: UTF8.self)
            switch token.kind {
            case .space, .comment: return nil
            case .word: return Piece(name: SQLName(text), text: text.asciiLowercased)
            case .quotedName: return Piece(name: SQLName(SQLTokens.unquote(text)), text: "")
            case .symbol: return Piece(name: nil, text: text)
            default: return Piece(name: nil, text: "")
            }
        }
    }

    /// A name that the text gives to one of these columns, and that is none of them: `title AS t`, or `title t` at the
    /// end of an item.
    private static func alias(_ pieces: [Piece], of names: Set<SQLName>) -> SQLName? {
        for place in pieces.indices {
            guard let name = pieces[place].name, names.contains(name) else { continue }
            var next = place + 1
            let isNamed = next < pieces.count && pieces[next].text.hasSameBytes(as: "as")
            if isNamed { next += 1 }
            guard next < pieces.count, let alias = pieces[next].name, !names.contains(alias) else { continue }
            let end = next + 1 < pieces.count ? pieces[next + 1].text : ""
            if isNamed || [",", ")", "from"].containsBytes(of: end) { return alias }
        }
        return nil
    }

    /// The names in the items of the select list; nil for a list with `*`, and for a statement that does not begin with
    /// one.
    private static func items(_ pieces: [Piece]) -> [[SQLName?]]? {
        guard pieces.first?.text.hasSameBytes(as: "select") == true else { return nil }
        var items: [[SQLName?]] = [[]]
        var depth = 0
        for piece in pieces.dropFirst() {
            switch piece.text {
            case "(", "[": depth += 1
            case ")", "]": depth -= 1
            case "from" where depth == 0: return items
            case "*" where depth == 0: return nil
            case "," where depth == 0: items.append([])
            default: items[items.count - 1].append(piece.name)
            }
        }
        return nil
    }
}
