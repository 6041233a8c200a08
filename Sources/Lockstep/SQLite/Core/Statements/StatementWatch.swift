/// Receives statements before they run.
protocol StatementWatch: AnyObject {
    /// The next statements are on this line of their file.
    func begins(line: Int)

    /// `sql` is about to run with the effects `use`, unless it fails. Statements that change nothing are not
    /// reported. Throwing an error keeps the statement from running.
    func willRun(_ sql: String, _ use: TableUse) throws(LockstepError)

    /// Reports a table's current number of rows, from a caller that had to count them anyway.
    func note(_ count: Int64, rowsOf table: SQLName)
}

extension ConnectionCore {
    /// Returns the result of `row` for each row of one of the engine's queries, which no watch receives: for
    /// callers without a connection.
    func ask<each Parameter: Bindable, Element>(
        _ sql: SQL, _ values: repeat each Parameter, row: (borrowing Row) throws -> Element
    ) throws -> [Element] {
        try unwatched {
            let statement = Statement(try PreparedStatement.prepare(sql.text, .brief, on: self), sql.arguments)
            return try statement.map(repeat each values, row: row)
        }
    }

    /// Prepares a statement without running it, and returns SQLite's error if it cannot run.
    func refusal(of sql: String) -> LockstepError? {
        unwatched {
            do throws(LockstepError) {
                _ = try PreparedStatement.prepare(sql, .brief, on: self)
                return nil
            } catch { return error }
        }
    }

    private func unwatched<Result>(_ body: () throws -> Result) rethrows -> Result {
        let (mode, ignoresUse) = (authorizer.mode, authorizer.ignoresUse)
        let watch = watch
        authorizer.mode = .engine
        authorizer.ignoresUse = !isWatched
        self.watch = nil
        defer {
            authorizer.mode = mode
            authorizer.ignoresUse = ignoresUse
            self.watch = watch
        }
        return try body()
    }
}
