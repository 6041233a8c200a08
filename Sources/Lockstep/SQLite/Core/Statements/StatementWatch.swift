/// Receives statements before they run.
protocol StatementWatch: AnyObject {
    /// The next statements are on this line of their file.
    func begins(line: Int)

    /// `sql` is about to run with the effects `use`, unless it fails. Statements that change nothing are not
    /// reported. Throwing an error keeps the statement from running.
    func willRun(_ sql: String, _ use: TableUse) throws(LockstepError)

    /// A table is about to be replaced, with expressions for some columns, and without others.
    func willRebuild(_ table: SQLName, expressions: [SQLName: String], without dropped: Set<SQLName>)

    /// A table has been replaced by one with all of its rows, and with the values of these columns as far as their types
    /// keep them.
    func didRebuild(_ table: SQLName, copying columns: Set<SQLName>)
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

    /// Prepares one of the engine's statements to be run several times.
    func prepareUnwatched(_ sql: String) throws(LockstepError) -> Statement {
        let (mode, ignoresUse) = (authorizer.mode, authorizer.ignoresUse)
        authorizer.mode = .engine
        authorizer.ignoresUse = !isWatched
        defer {
            authorizer.mode = mode
            authorizer.ignoresUse = ignoresUse
        }
        return Statement(try PreparedStatement.prepare(sql, .brief, on: self))
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
