import Lockstep

/// An error for programs. Fields are only ever added; unknown ones are left out.
struct ErrorResult: Encodable {
    /// What the error is about.
    struct Context: Encodable {
        let file: String?
        let line: Int?
        let set: String?
        let version: String?
        let table: String?
        let column: String?
        /// SQLite's extended result code, by its name.
        let sqliteCode: String?

        /// Nil if nothing is known.
        init?(_ context: LockstepError.Context) {
            guard !context.isEmpty else { return nil }
            (file, line) = (context.file, context.line)
            (set, version) = (context.set, context.version)
            (table, column) = (context.table, context.column)
            sqliteCode = context.sqliteCodeName
        }
    }

    let code: String
    let message: String
    let hint: String?
    let context: Context?

    init(_ error: LockstepError) {
        code = error.code.rawValue
        message = error.message
        hint = error.hint
        context = Context(error.context)
    }
}
