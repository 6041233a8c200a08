/// The ways up and down of a file that contains both, separated by the markers of its layout.
struct MarkedSections {
    /// The markers as they appear in messages.
    let upMarker: String
    let downMarker: String
    /// Whether the file can have several up sections, each followed by its down section.
    var mayRepeat = false
    /// Whether every up section needs a down section.
    var needsDown = false
    /// Whether a file begins with its way up, so that the up marker can be missing.
    var beginsUp = false
    /// Whether the layout belongs to another tool.
    var isForeign = true

    private struct Section {
        let isUp: Bool
        let inTransaction: Bool
        let line: Int
        /// Whether no marker begins it.
        var isImplied = false
        var pieces: [ScriptSplitter.Piece] = []

        /// Whether it has nothing but comments.
        func isBlank(_ lexis: Lexis) -> Bool {
            pieces.allSatisfy { piece in
                guard case .sql = piece.content else { return false }
                return SQLTokens.areBlank(Array(piece.text.utf8), lexis)
            }
        }
    }

    /// Cuts `text` and sorts the pieces by direction.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` with file and line.
    func scripts(
        of text: String, _ cutter: ScriptSplitter,
        validate: ([(marker: ScriptSplitter.Marker, line: Int)]) throws(LockstepError) -> Void = {
            _ throws(LockstepError) in
        }
    ) throws(LockstepError) -> (up: MigrationScript, down: MigrationScript?) {
        var cutter = cutter
        let (origin, lexis) = (cutter.origin, cutter.lexis)
        let pieces = try cutter.cut(text)
        try validate(cutter.marks)
        var sections: [Section] = []
        for piece in pieces {
            switch piece.content {
            case .marker(.up(let inTransaction)):
                // Comments can precede it.
                if beginsUp, sections.count == 1, sections[0].isImplied, sections[0].isBlank(lexis) {
                    sections = []
                }
                let isSecond = sections.last.map { $0.isUp || !mayRepeat } ?? false
                guard !isSecond else { throw malformed("second up marker", piece, origin) }
                sections.append(
                    Section(isUp: true, inTransaction: inTransaction, line: piece.line))
            case .marker(.down(let inTransaction)):
                guard sections.last?.isUp == true else {
                    throw malformed("the down marker must appear once, after up", piece, origin)
                }
                sections.append(Section(isUp: false, inTransaction: inTransaction, line: piece.line))
            default:
                if beginsUp, sections.isEmpty {
                    sections.append(Section(isUp: true, inTransaction: true, line: piece.line, isImplied: true))
                }
                guard let last = sections.indices.last else {
                    // Comments can precede the first marker; statements cannot.
                    guard case .sql = piece.content,
                        SQLTokens.areBlank(Array(piece.text.utf8), lexis)
                    else {
                        throw malformed("text before `\(upMarker)`", piece, origin)
                    }
                    continue
                }
                sections[last].pieces.append(piece)
            }
        }
        if beginsUp, sections.isEmpty {
            sections.append(Section(isUp: true, inTransaction: true, line: 1))
        }
        try requireWhole(sections, origin)
        let isFree = cutter.marks.contains { $0.marker == .noTransaction }
        let ups = sections.filter(\.isUp)
        let downs = sections.filter { !$0.isUp }
        return (
            script(ups, lexis, inTransaction: !isFree),
            downs.isEmpty ? nil : script(downs, lexis, inTransaction: !isFree)
        )
    }

    private func requireWhole(
        _ sections: [Section], _ origin: ScriptOrigin
    ) throws(LockstepError) {
        guard !sections.isEmpty else {
            throw LockstepError(
                .migrationMalformed, "\(origin.title) has no `\(upMarker)`",
                hint: "put the line `\(upMarker)` before its first statement", context: origin.context)
        }
        for (section, next) in zip(sections, sections.dropFirst().map(\.isUp) + [true])
        where needsDown && section.isUp && next {
            throw origin.malformed(
                "this up has no `\(downMarker)`", line: section.line,
                hint: "add the line `\(downMarker)`, with nothing after it if there is nothing " + "to undo")
        }
    }

    private func script(
        _ sections: [Section], _ lexis: Lexis, inTransaction: Bool
    ) -> MigrationScript {
        let pieces = sections.flatMap(\.pieces)
        return MigrationScript(
            pieces, line: sections.first?.line ?? 1,
            implied: MigrationScript.implied(
                by: pieces, isForeign: isForeign, lexis,
                inTransaction: inTransaction && sections.allSatisfy(\.inTransaction)))
    }

    private func malformed(
        _ what: String, _ piece: ScriptSplitter.Piece, _ origin: ScriptOrigin
    ) -> LockstepError {
        origin.malformed(
            what, line: piece.line,
            hint: "a file has `\(upMarker)`, its SQL, and at most one `\(downMarker)`"
                + (mayRepeat ? " for each up" : ""))
    }
}
