extension MigrationScript {
    /// A script out of pieces in their order.
    /// - Parameters:
    ///   - line: Where in the file it begins.
    ///   - implied: What the file does not say, or says in its layout's words.
    init(_ pieces: [ScriptCutter.Piece], line: Int, implied: [Directive] = []) {
        var items: [Item] = []
        var text = ""
        for directive in implied {
            items.append(Item(content: .directive(directive), line: line))
            text += "-- lockstep: \(directive.spelling)\n"
        }
        for piece in pieces {
            switch piece.content {
            case .sql: items.append(Item(content: .sql(piece.text), line: piece.line))
            case .directive(let directive):
                items.append(Item(content: .directive(directive), line: piece.line))
            case .marker: continue
            }
            text += piece.text
        }
        self.init(items: items, text: text)
    }

    /// What goes without saying in files that other tools have run.
    ///
    /// Most of those that run outside a transaction do so for the sake of `PRAGMA foreign_keys` alone, which is a
    /// directive here. Without anything else that SQLite refuses inside one they are safer there.
    static func implied(
        by pieces: [ScriptCutter.Piece], isForeign: Bool, inTransaction: Bool
    ) -> [Directive] {
        guard isForeign else { return inTransaction ? [] : [.noTransaction] }
        let isBare = !inTransaction && pieces.contains(where: needsNoTransaction)
        return [.doubleQuotedTexts] + (isBare ? [.noTransaction] : [])
    }

    /// Whether SQL holds a statement that concerns transactions, or that SQLite runs outside of one only.
    private static func needsNoTransaction(_ piece: ScriptCutter.Piece) -> Bool {
        guard case .sql = piece.content else { return false }
        let bytes = Array(piece.text.utf8)
        var isStart = true
        for token in SQLTokens(bytes, from: 0) where token.kind != .space && token.kind != .comment
        {
            let text = String(decoding: bytes[token.range], as: UTF8.self).asciiLowercased
            if isStart, ["vacuum", "pragma", "begin", "attach", "detach"].contains(text) {
                return true
            }
            isStart = text == ";"
        }
        return false
    }
}
