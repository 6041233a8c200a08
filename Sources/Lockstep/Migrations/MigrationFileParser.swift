/// Cuts a native migration file into its two scripts.
enum MigrationFileParser {
    /// - Throws: ``LockstepError/Code/migrationMalformed`` with file and line.
    static func parse(
        _ text: String, _ fileName: String
    ) throws(LockstepError) -> (up: MigrationScript, down: MigrationScript?) {
        let pieces = try cut(text, firstLine: 1, fileName)
        var up: Section?
        var down: Section?
        var current: Section?
        for piece in pieces {
            switch piece.item.content {
            case .directive(.up):
                guard current == nil else { throw malformed("a second up", piece, fileName) }
                current = Section(start: piece.range.upperBound)
            case .directive(.down):
                guard let section = current, up == nil else {
                    throw malformed("down must come once, after up", piece, fileName)
                }
                up = section.ended(piece.range.lowerBound)
                current = Section(start: piece.range.upperBound)
            default:
                if current == nil {
                    // Comments may introduce the file; statements may not.
                    guard case .sql(let sql) = piece.item.content,
                        SQLTokens.areBlank(Array(sql.utf8))
                    else {
                        throw malformed(
                            "something stands before `-- lockstep: up`", piece, fileName)
                    }
                }
                current?.items.append(piece.item)
            }
        }
        let last = current?.ended(text.utf8.count)
        if up == nil { up = last } else { down = last }
        guard let up else {
            throw LockstepError(
                .migrationMalformed, "\(fileName) has no `-- lockstep: up`",
                hint: "put the line `-- lockstep: up` before its first statement")
        }
        return (up.script(of: text), down?.script(of: text))
    }

    /// Reads one script on its own: the way down as the ledger keeps it.
    static func parseScript(_ text: String, _ name: String) throws(LockstepError) -> MigrationScript
    {
        MigrationScript(items: try cut(text, firstLine: 1, name).map(\.item), text: text)
    }

    private struct Piece {
        let item: MigrationScript.Item
        let range: Range<Int>
    }

    private struct Section {
        let start: Int
        var end = 0
        var items: [MigrationScript.Item] = []

        init(start: Int) { self.start = start }

        func ended(_ end: Int) -> Section {
            var section = self
            section.end = end
            return section
        }

        func script(of text: String) -> MigrationScript {
            let bytes = Array(text.utf8)[start..<end]
            return MigrationScript(items: items, text: String(decoding: bytes, as: UTF8.self))
        }
    }

    /// SQL and directives in turn, with where they lie.
    private static func cut(
        _ text: String, firstLine: Int, _ fileName: String
    ) throws(LockstepError) -> [Piece] {
        let bytes = Array(text.utf8)
        var pieces: [Piece] = []
        var line = firstLine
        var sqlStart = 0
        var sqlLine = firstLine
        func takeSQL(upTo end: Int) {
            guard end > sqlStart else { return }
            let sql = String(decoding: bytes[sqlStart..<end], as: UTF8.self)
            pieces.append(
                Piece(
                    item: .init(content: .sql(sql), line: sqlLine), range: sqlStart..<end))
        }
        for token in SQLTokens(text) {
            let newlines = bytes[token.range].count { $0 == UInt8(ascii: "\n") }
            if token.kind == .comment,
                let content = Directive.content(
                    of: String(decoding: bytes[token.range], as: UTF8.self))
            {
                guard let directive = Directive(content) else {
                    throw LockstepError(
                        .migrationMalformed,
                        "\(fileName):\(line): “\(content)” is no directive of this version",
                        hint: "it knows: \(Directive.known)")
                }
                takeSQL(upTo: token.range.lowerBound)
                pieces.append(
                    Piece(
                        item: .init(content: .directive(directive), line: line),
                        range: token.range))
                sqlStart = token.range.upperBound
                sqlLine = line
            }
            line += newlines
        }
        takeSQL(upTo: bytes.count)
        return pieces
    }

    private static func malformed(
        _ what: String, _ piece: Piece, _ fileName: String
    ) -> LockstepError {
        LockstepError(
            .migrationMalformed, "\(fileName):\(piece.item.line): \(what)",
            hint: "a file has `-- lockstep: up`, its SQL, and at most one `-- lockstep: down`")
    }
}
