extension MigrationScript {
    /// A script made of pieces, in order.
    /// - Parameters:
    ///   - line: The line in the file where it begins.
    ///   - implied: Directives that the file does not state, or states in the terms of its layout.
    init(_ pieces: [ScriptSplitter.Piece], line: Int, implied: [Directive] = []) {
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
                if case .normalise(let normalisation) = directive {
                    items += normalisation.items(line: piece.line)
                }
            case .marker: continue
            }
            text += piece.text
        }
        self.init(items: items, text: text)
    }

    /// The directives that apply without being stated to files that other tools have run.
    ///
    /// Most of the files that run outside a transaction do so only because of `PRAGMA foreign_keys`, which is a
    /// directive here. If they contain nothing else that SQLite refuses inside a transaction, they run inside
    /// one, which is safer.
    static func implied(
        by pieces: [ScriptSplitter.Piece], isForeign: Bool, _ lexis: Lexis, inTransaction: Bool
    ) -> [Directive] {
        guard isForeign, lexis == .sqlite else { return inTransaction ? [] : [.noTransaction] }
        let isBare = !inTransaction && pieces.contains(where: needsNoTransaction)
        return [.doubleQuotedTexts] + (isBare ? [.noTransaction] : [])
    }

    /// Whether the SQL contains a transaction statement, or a statement that SQLite runs only outside a
    /// transaction.
    private static func needsNoTransaction(_ piece: ScriptSplitter.Piece) -> Bool {
        guard case .sql = piece.content else { return false }
        let words = SQLCursor(piece.text).tokens.map(\.word)
        return zip([";"] + words, words).contains {
            $0 == ";" && ["vacuum", "pragma", "begin", "attach", "detach"].contains($1)
        }
    }
}
