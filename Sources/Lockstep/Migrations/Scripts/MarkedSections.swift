/// The ways up and down of a file that holds both, told apart by the markers of its layout.
struct MarkedSections {
    /// The markers as messages write them.
    let upMarker: String
    let downMarker: String
    /// Whether several ups, each with its down, may follow one another.
    var mayRepeat = false
    /// Whether every up must have its down.
    var needsDown = false
    /// Whether the layout is another tool's.
    var isForeign = true

    private struct Section {
        let isUp: Bool
        let inTransaction: Bool
        let line: Int
        var pieces: [ScriptCutter.Piece] = []
    }

    /// Cuts `text`, and sorts its pieces by direction.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` with file and line.
    func scripts(
        of text: String, _ cutter: ScriptCutter,
        validate: ([(marker: ScriptCutter.Marker, line: Int)]) throws(LockstepError) -> Void = {
            _ throws(LockstepError) in
        }
    ) throws(LockstepError) -> (up: MigrationScript, down: MigrationScript?) {
        var cutter = cutter
        let fileName = cutter.fileName
        let pieces = try cutter.cut(text)
        try validate(cutter.marks)
        var sections: [Section] = []
        for piece in pieces {
            switch piece.content {
            case .marker(.up(let inTransaction)):
                let isSecond = sections.last.map { $0.isUp || !mayRepeat } ?? false
                guard !isSecond else { throw malformed("a second up", piece, fileName) }
                sections.append(
                    Section(isUp: true, inTransaction: inTransaction, line: piece.line))
            case .marker(.down(let inTransaction)):
                guard sections.last?.isUp == true else {
                    throw malformed("down must come once, after up", piece, fileName)
                }
                sections.append(
                    Section(isUp: false, inTransaction: inTransaction, line: piece.line))
            default:
                guard let last = sections.indices.last else {
                    // Comments may introduce the file; statements may not.
                    guard case .sql = piece.content, SQLTokens.areBlank(Array(piece.text.utf8))
                    else {
                        throw malformed(
                            "something stands before `\(upMarker)`", piece, fileName)
                    }
                    continue
                }
                sections[last].pieces.append(piece)
            }
        }
        try requireWhole(sections, fileName)
        let isFree = cutter.marks.contains { $0.marker == .noTransaction }
        let ups = sections.filter(\.isUp)
        let downs = sections.filter { !$0.isUp }
        return (
            script(ups, inTransaction: !isFree),
            downs.isEmpty ? nil : script(downs, inTransaction: !isFree)
        )
    }

    private func requireWhole(
        _ sections: [Section], _ fileName: String
    ) throws(LockstepError) {
        guard !sections.isEmpty else {
            throw LockstepError(
                .migrationMalformed, "\(fileName) has no `\(upMarker)`",
                hint: "put the line `\(upMarker)` before its first statement")
        }
        for (section, next) in zip(sections, sections.dropFirst().map(\.isUp) + [true])
        where needsDown && section.isUp && next {
            throw LockstepError(
                .migrationMalformed,
                "\(fileName):\(section.line): this up has no `\(downMarker)`",
                hint:
                    "add the line `\(downMarker)`, with nothing behind it if nothing is to be undone"
            )
        }
    }

    private func script(_ sections: [Section], inTransaction: Bool) -> MigrationScript {
        let pieces = sections.flatMap(\.pieces)
        return MigrationScript(
            pieces, line: sections.first?.line ?? 1,
            implied: MigrationScript.implied(
                by: pieces, isForeign: isForeign,
                inTransaction: inTransaction && sections.allSatisfy(\.inTransaction)))
    }

    private func malformed(
        _ what: String, _ piece: ScriptCutter.Piece, _ fileName: String
    ) -> LockstepError {
        LockstepError(
            .migrationMalformed, "\(fileName):\(piece.line): \(what)",
            hint: "a file has `\(upMarker)`, its SQL, and at most one `\(downMarker)`"
                + (mayRepeat ? " for each up" : ""))
    }
}
