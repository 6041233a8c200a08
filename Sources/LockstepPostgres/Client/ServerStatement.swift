public import Lockstep

/// A prepared statement of a connection, for as long as the connection lasts.
public struct ServerStatement {
    let session: ServerSession
    let name: String
    private let text: String
    /// The look-ups in sealed columns; nil without any.
    private let lookup: PreparedLookup?

    init(session: ServerSession, name: String, text: String) {
        (self.session, self.name, self.text, lookup) = (session, name, text, nil)
    }

    init(session: ServerSession, lookup: PreparedLookup) {
        (self.session, name, text, self.lookup) = (session, "", "", lookup)
    }

    /// Runs it with these values.
    /// - Returns: How many rows it inserted, changed, deleted or returned.
    /// - Throws: The errors of ``ServerConnection/execute(_:)``; `LockstepError.Code.misuse` for a look-up in a sealed
    ///   column, whose rows are to be read.
    @discardableResult
    public func execute(_ values: any ServerEncodable...) throws(LockstepError) -> Int {
        try requirePlain()
        return try session.run(prepared: name, values.map { $0.serverParameter }).affected
    }

    /// Runs it with these values, and reads the rows that it returns. The values of look-ups in sealed columns come
    /// first: a `Value`, a text, a number or bytes each.
    /// - Throws: The errors of ``ServerConnection/query(_:_:)``.
    public func query<Output>(
        _ values: any ServerEncodable..., read body: (ServerRow) throws -> Output
    ) throws -> [Output] {
        let connection = ServerConnection(session)
        if let lookup { return try lookup.query(values, session, connection).map(body) }
        try session.fields?.look(connection)
        let result = try session.run(prepared: name, values.map { $0.serverParameter })
        return try connection.opening(result, of: ServerSQL(verbatim: text)).map(body)
    }

    private func requirePlain() throws(LockstepError) {
        guard lookup == nil else {
            throw ServerSQL.unread
        }
    }

    /// Runs it once for each row of values, without waiting for an answer in between: for statements that return no
    /// rows. Outside a transaction they are one: a row that fails leaves none of them.
    /// - Returns: How many rows it inserted, changed or deleted.
    /// - Throws: The errors of ``ServerConnection/execute(_:)``, for the first row that fails, whose number from 1 the
    ///   message begins with.
    @discardableResult
    public func executeAll(_ rows: [[ServerParameter]]) throws(LockstepError) -> Int {
        try requirePlain()
        return try session.runPipelined(prepared: name, rows)
    }
}
