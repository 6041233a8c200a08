/// Is told of statements before they run.
protocol StatementWatch: AnyObject {
    /// What runs from now on stands on this line of its file.
    func begins(line: Int)

    /// `sql` is about to run, and will do `use`, unless it fails. Statements that change nothing are not
    /// told of. An error keeps it from running.
    func willRun(_ sql: String, _ use: TableUse) throws(LockstepError)

    /// A table holds so many rows just now, as somebody knows who had to count them anyway.
    func note(_ count: Int64, rowsOf table: String)
}

extension ConnectionCore {
    /// What `row` makes of each row of a question of the engine's own, which no watch is told of: for those
    /// who have no connection at hand.
    func ask<each Parameter: Bindable, Element>(
        _ sql: SQL, _ values: repeat each Parameter, row: (borrowing Row) throws -> Element
    ) throws -> [Element] {
        try unwatched {
            let statement = Statement(
                try PreparedStatement.prepare(sql.text, .brief, on: self), sql.arguments)
            return try statement.map(repeat each values, row: row)
        }
    }

    /// Whether SQLite could run a statement, which is only prepared: its error if it could not.
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
