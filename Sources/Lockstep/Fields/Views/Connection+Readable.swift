extension Connection {
    /// The name under which this connection reads and writes the rows of a table, for SQL: that of its readable view
    /// where columns of it are sealed, as `movie_open` for `movie`, else its own.
    ///
    ///     let movies = try db.readable("movie")
    ///     try db.query("SELECT title FROM \(movies) WHERE year < 1950") { row in try row[0] as String }
    ///
    /// A program that works on a schema before and after a column of it is sealed asks for it in each transaction.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if columns are sealed whose keys the connection does not have.
    public func readable(_ table: String) throws -> SQL {
        if let sealed, sealed.hasView(of: table) {
            return SQL(verbatim: SQLTokens.quote(OpenViews.name(of: table)))
        }
        guard try !core.claimedTables(self).contains(table.asciiLowercased) else {
            throw LockstepError(
                .keyUnavailable, "columns of \(table) are sealed",
                hint: "open the database with the fields keyring of their dataset")
        }
        return SQL(verbatim: SQLTokens.quote(table))
    }
}

extension ConnectionCore {
    /// The tables, in lower case, of which the database says that they have sealed columns.
    fileprivate func claimedTables(_ connection: borrowing Connection) throws -> Set<String> {
        // What makes a column sealed makes triggers, too.
        let version = try schemaVersion()
        if let known = claimed, known.schema == version { return known.tables }
        let tables = try connection.with(rights: .engine) {
            try RegistryTables.claimed(connection).filter { !$0.name.isEmpty }.map(
                \.table.asciiLowercased)
        }
        claimed = (version, Set(tables))
        return Set(tables)
    }
}
