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
        let hint =
            error.code == .interrupted
            ? "run it again: it goes on where it stopped"
            : "mend the statement; nothing of this version was applied"
        return LockstepError(
            code, "\(place): \(error.message)", hint: error.hint ?? hint,
            sqliteCode: error.sqliteCode)
    }
}
