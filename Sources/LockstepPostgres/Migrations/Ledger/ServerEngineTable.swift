internal import Lockstep

/// A table of the engine on a server, which anyone who can write the database can have made or filled.
struct ServerEngineTable {
    let schema: String
    let table: String

    /// The schema and table, quoted.
    var name: String { "\(SQLTokens.quote(schema)).\(table)" }

    /// - Throws: `LockstepError.Code.tampered` for something that is no table: a view would run its maker's code.
    /// - Parameter kinds: What the schema has, if that is known.
    func exists(
        // exact: names of the source
        _ connection: borrowing ServerConnection, _ kinds: [String: EngineTable.Kind]? = nil
    ) throws -> Bool {
        let kind =
            if let kinds { kinds[table] } else {
                try EngineTable.kind(table, in: schema, connection)
            }
        guard let kind else { return false }
        guard kind == .table else { throw impossible("kind of object") }
        return true
    }

    /// Reads all rows; none if the table does not exist.
    /// - Parameters:
    ///   - columns: The columns, and what follows the table's name.
    ///   - kinds: What the schema has, if that is known.
    ///   - body: Reads a row.
    /// - Throws: `LockstepError.Code.tampered` for a row that is of another form.
    func rows<Output>(
        _ columns: String, order: String, _ connection: borrowing ServerConnection,
        // exact: names of the source
        _ kinds: [String: EngineTable.Kind]? = nil, _ body: (ServerRow) throws -> Output
    ) throws -> [Output] {
        guard try exists(connection, kinds) else { return [] }
        do {
            return try connection.query(
                "SELECT \(verbatim: columns) FROM \(verbatim: name) ORDER BY \(verbatim: order)", body)
        } catch let error as LockstepError
            where error.code == .decodeMismatch || error.context.sqlState == "42703"
        {
            throw impossible("column")
        }
    }

    /// The checksums in three columns.
    func checksums(_ row: ServerRow, from column: Int) throws(LockstepError)
        -> MigrationChecksums
    {
        let sums = MigrationChecksums(bytes: try row[column], text: try row[column + 1], tokens: try row[column + 2])
        guard [sums.bytes, sums.text, sums.tokens].allSatisfy({ $0.count == 32 }) else {
            throw impossible("checksum")
        }
        return sums
    }

    func version(_ text: String) throws(LockstepError) -> MigrationVersion {
        guard let version = MigrationVersion(text), version.description == text else {
            throw impossible("version")
        }
        return version
    }

    func impossible(_ what: String) -> LockstepError {
        LockstepError(
            .tampered, "the server's table \(table) contains an invalid \(what)",
            hint: "somebody else than Lockstep has written it; restore it from a backup")
    }
}
