/// A script as bytes with a terminating zero: where its statements begin, and how errors refer to them.
enum ScriptText {
    /// The end of the white space, comments and empty statements at `start`.
    static func skipBlank(_ script: [UInt8], from start: Int) -> Int {
        var end = start
        for token in SQLTokens(script, from: start) {
            let isBlank =
                token.kind == .space || token.kind == .comment || script[token.range].elementsEqual([UInt8(ascii: ";")])
            guard isBlank else { break }
            end = token.range.upperBound
        }
        return min(end, script.count - 1)
    }

    static func newlines(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.count { $0 == UInt8(ascii: "\n") }
    }

    /// The error of a statement, with its place in the script.
    /// - Parameter isBegun: Whether an earlier part of the version has committed.
    static func located(
        _ error: LockstepError, _ origin: ScriptOrigin, line: Int, isBegun: Bool
    ) -> LockstepError {
        let code: LockstepError.Code =
            switch error.code {
            case .busy, .full, .interrupted, .inputOutput, .damaged, .limitExceeded,
                .migrationMalformed:
                error.code
            default: .migrationFailed
            }
        let renamed = LockstepError(code, error.message, advice: error.advice, context: error.context)
        return origin.located(renamed, line: line, advice: error.advice ?? advice(error, isBegun))
    }

    /// The hint after a run was interrupted.
    static let afterInterruption = "run it again: it continues where it stopped"

    private static func advice(_ error: LockstepError, _ isBegun: Bool) -> LockstepError.Advice {
        guard error.code != .interrupted else {
            return isBegun
                ? .init(afterInterruption) : "run it again: this version starts over, and no part of it was applied"
        }
        if error.message.contains("error in trigger lockstep_sealed_") {
            return """
                the column is sealed: `-- lockstep: unprotect table.column dataset=NAME` before the statement opens it and \
                takes its guards away
                """
        }
        let mend =
            isBegun
            ? "fix the statement, and run it again: it continues with this statement; earlier ones stay done"
            : "fix the statement; no part of this version was applied"
        // SQLITE_CONSTRAINT_FOREIGNKEY: usually a table that is dropped while other tables refer to it.
        guard error.sqliteCode == 787 else { return .init(mend) }
        return """
            \(mend). If it replaces a table that other tables refer to, add `-- lockstep: foreign keys off` \
            to the file, or, if the file must not change, use \(.declare("foreign keys off", at: "VERSION"))
            """
    }
}
