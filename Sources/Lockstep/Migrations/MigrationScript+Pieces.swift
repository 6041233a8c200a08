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
    static func implied(isForeign: Bool, inTransaction: Bool) -> [Directive] {
        (isForeign ? [.doubleQuotedTexts] : []) + (inTransaction ? [] : [.noTransaction])
    }
}
