extension Connection {
    /// The name, as SQL, under which this connection reads and writes the rows of a table: the name of its readable
    /// view if it has sealed columns, such as `movie_open` for `movie`; otherwise its own name.
    ///
    ///     let movies = try db.readable("movie")
    ///     try db.query("SELECT title FROM \(movies) WHERE year < 1950") { row in try row[0] as String }
    ///
    /// A program that works with the schema both before and after a column is sealed calls this in each transaction.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the table has sealed columns whose keys the connection does
    ///   not have.
    public func readable(_ table: String) throws -> SQL {
        if let sealed, sealed.hasView(of: table) {
            return SQL(verbatim: SQLTokens.quote(DecryptingViews.name(of: table)))
        }
        guard try !core.claimedTables(self).contains(SQLName(table)) else {
            throw LockstepError(
                .keyUnavailable, "columns of \(table) are sealed",
                hint: "open the database with the fields keyring of their dataset", context: .init(table: table))
        }
        return SQL(verbatim: SQLTokens.quote(table))
    }
}

extension ConnectionCore {
    /// The tables that have sealed columns according to the registry.
    fileprivate func claimedTables(_ connection: borrowing Connection) throws -> Set<SQLName> {
        // Sealing a column also creates triggers, which changes the schema version.
        let version = try schemaVersion()
        if let known = attachment.claimed, known.schema == version { return known.tables }
        let tables = try connection.with(rights: .engine) {
            let columns = try RegistryTables.claimed(connection).filter { !$0.name.isEmpty }
            return Set(columns.map { SQLName($0.table) })
        }
        attachment.claimed = (version, tables)
        return tables
    }
}

extension Connection {
    /// The columns of all datasets that the file claims to hold as cells, as `table.column`: without keys and without
    /// proof.
    /// - Throws: ``LockstepError/Code/registryForged`` for tables that Lockstep did not write.
    package func claimedSealedColumns() throws -> [String] {
        try with(rights: .engine) {
            try RegistryTables.claimed(self).filter { !$0.name.isEmpty }.map(\.title)
        }
    }
}
