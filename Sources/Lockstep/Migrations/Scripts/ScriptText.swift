/// A script as bytes with a zero behind them: where its statements begin, and how errors tell of them.
enum ScriptText {
    /// Where spacing, comments and empty statements end.
    static func skipBlank(_ script: [UInt8], from start: Int) -> Int {
        var end = start
        for token in SQLTokens(script, from: start) {
            let isBlank =
                token.kind == .space || token.kind == .comment
                || script[token.range].elementsEqual([UInt8(ascii: ";")])
            guard isBlank else { break }
            end = token.range.upperBound
        }
        return min(end, script.count - 1)
    }

    static func newlines(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.count { $0 == UInt8(ascii: "\n") }
    }

    /// A statement's error, told with its place in the file.
    static func located(_ error: LockstepError, _ place: String) -> LockstepError {
        let code: LockstepError.Code =
            switch error.code {
            case .busy, .full, .interrupted, .inputOutput, .damaged, .migrationMalformed: error.code
            default: .migrationFailed
            }
        return LockstepError(
            code, "\(place): \(error.message)",
            hint: error.hint ?? hint(error), sqliteCode: error.sqliteCode)
    }

    /// What to do where somebody has stopped a run.
    static let afterInterruption = "run it again: it goes on where it stopped"

    private static func hint(_ error: LockstepError) -> String {
        guard error.code != .interrupted else { return afterInterruption }
        let mend = "mend the statement; nothing of this version was applied"
        // SQLITE_CONSTRAINT_FOREIGNKEY: mostly a table that is dropped while others refer to it.
        guard error.sqliteCode == 787 else { return mend }
        return "\(mend). If it replaces a table that others refer to, the version needs "
            + "`-- lockstep: foreign keys off` in its file, or, where that must stay as it is, "
            + "--declare 'VERSION: foreign keys off'"
    }
}
