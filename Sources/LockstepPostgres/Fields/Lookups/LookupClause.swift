internal import Lockstep

/// Where look-ups may stand in a statement: as a conjunct of the WHERE, or of the ON of an inner join, of its one SELECT.
/// There, and nowhere else, a row that the condition should have left out can be left out of the result afterwards.
struct LookupClause {
    /// Why one cannot stand in its place.
    struct Obstacle: Error {
        let what: String
    }

    private struct Piece {
        /// The word in lower case, or the symbol; empty for anything else.
        let text: String
        let range: Range<Int>
    }

    private let pieces: [Piece]
    private let comments: [Range<Int>]

    init(_ sql: String) {
        let bytes = Array(sql.utf8)
        let tokens = Array(SQLTokens(bytes, from: 0, .postgres))
        comments = tokens.filter { $0.kind == .comment }.map(\.range)
        var pieces = tokens.compactMap { token -> Piece? in
            switch token.kind {
            case .space, .comment: return nil
            case .word, .symbol:
                return Piece(
                    text: String(decoding: bytes[token.range], as: UTF8.self).asciiLowercased, range: token.range)
            default: return Piece(text: "", range: token.range)
            }
        }
        if pieces.last?.text.hasSameBytes(as: ";") == true { pieces.removeLast() }
        self.pieces = pieces
    }

    /// Requires that a condition at this place, in UTF-8 bytes, is a conjunct.
    func requireConjunct(at offset: Int) throws(Obstacle) {
        try requireFit()
        // Into a comment, a string or a name nothing is put.
        let isInside = (comments + pieces.map(\.range)).contains { $0.lowerBound < offset && offset < $0.upperBound }
        // A comment to the end of its line takes what is put after it.
        guard !isInside, !comments.contains(where: { $0.upperBound == offset }) else {
            throw Obstacle(what: "it stands in a literal, a name or a comment")
        }
        var right = pieces.firstIndex { $0.range.lowerBound >= offset } ?? pieces.count
        var left = right - 1
        while true {
            let end = text(right)
            guard end.isEmpty ? right >= pieces.count : Self.ends.contains(ExactText(end)) else {
                throw Obstacle(what: "\(end.isEmpty ? "a value" : end.asciiUppercased) follows it")
            }
            left = try conjunctsBefore(left)
            switch text(left) {
            case "where", "on": return
            case "(":
                guard ["and", ")"].containsBytes(of: end) else {
                    throw Obstacle(what: "\(end.asciiUppercased) follows it")
                }
                right = try match(left) + 1
                left -= 1
                continue
            default: throw Obstacle(what: "\(text(left).asciiUppercased) stands before it")
            }
        }
    }

    /// Requires that no row of the result depends on another row, and that nothing but rows comes of it.
    private func requireFit() throws(Obstacle) {
        guard text(0).hasSameBytes(as: "select") else { throw Obstacle(what: "the statement is no SELECT") }
        guard pieces.count(where: { $0.text.hasSameBytes(as: "select") }) == 1 else {
            throw Obstacle(what: "the statement has another SELECT in it")
        }
        for piece in pieces where Self.unfit.contains(ExactText(piece.text)) {
            throw Obstacle(what: "the statement has \(piece.text.asciiUppercased) in it")
        }
    }

    private static let unfit: Set<ExactText> = [
        "or", "not", "case", "false", "unknown", "limit", "offset", "fetch", "left", "right", "full", "union", "except",
        "intersect", "exists", "distinct", "group", "having", "over", "window", "with", "insert", "update", "delete",
        "merge", "filter", "into", "table", "values", ";",
    ]

    /// What may follow a conjunct.
    private static let ends: Set<ExactText> = ["and", ")", "order", "where", "join", "inner", "cross", ",", "for"]

    private func text(_ place: Int) -> String { pieces.indices.contains(place) ? pieces[place].text : "" }

    /// Goes back over the conjuncts that AND binds to the one after this place.
    /// - Returns: The place of what the first of them follows.
    private func conjunctsBefore(_ start: Int) throws(Obstacle) -> Int {
        guard text(start).hasSameBytes(as: "and") else { return start }
        var place = start - 1
        var depth = 0
        // Those that a BETWEEN before them can need.
        var ands = 0
        while place >= 0 {
            switch text(place) {
            case ")", "]": depth += 1
            case "[": depth -= 1
            case "(" where depth > 0: depth -= 1
            case "(": return place
            case "where" where depth == 0, "on" where depth == 0: return place
            case "and" where depth == 0: ands += 1
            case "between" where depth == 0:
                guard ands > 0 else { throw Obstacle(what: "the AND before it is that of a BETWEEN") }
                ands -= 1
            default: break
            }
            place -= 1
        }
        throw Obstacle(what: "no WHERE is before it")
    }

    /// The place of the parenthesis that closes the one here.
    private func match(_ start: Int) throws(Obstacle) -> Int {
        var depth = 0
        for place in start..<pieces.count {
            if text(place).hasSameBytes(as: "(") { depth += 1 }
            if text(place).hasSameBytes(as: ")") { depth -= 1 }
            if depth == 0 { return place }
        }
        throw Obstacle(what: "a parenthesis is open")
    }
}
