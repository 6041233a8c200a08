internal import CPostgreSQL
public import Lockstep

/// A connection to a PostgreSQL server. Its functions block, and one thread at a time uses it; ``ServerPool`` gives
/// tasks connections on threads of their own.
///
/// Names, dates and texts are read and written in the same form whatever the role or the server sets: UTF-8, UTC, ISO.
public struct ServerConnection: ~Copyable, Sendable {
    /// The oldest version of PostgreSQL that is supported.
    public static let oldestVersion = 13

    let session: ServerSession

    /// The sealed columns; nil without keys.
    var fields: ServerFields? { session.fields }

    init(_ session: ServerSession) { self.session = session }

    /// Connects.
    /// - Throws: `LockstepError.Code.serverUnreachable`, `LockstepError.Code.serverUntrusted`,
    ///   `LockstepError.Code.loginRefused`, `LockstepError.Code.serverUnsupported`,
    ///   `LockstepError.Code.notFound` for a database that does not exist; the errors of reading the credentials.
    public init(
        _ address: ServerAddress, _ credentials: ServerCredentials = .none, _ options: ServerOptions = ServerOptions()
    ) throws {
        session = try ServerSession(address, credentials, options)
    }

    /// The address.
    public var address: ServerAddress { session.address }

    /// The server's version, such as 150018 for 15.18.
    public var serverVersion: Int { session.version }

    /// The process that works for the connection, as the server numbers it.
    public var processID: Int32 { session.processID }

    /// Whether a transaction is open.
    public var isInTransaction: Bool { session.isInTransaction }

    /// Runs one statement.
    /// - Returns: How many rows it inserted, changed, deleted or returned.
    /// - Throws: `LockstepError` with the server's SQLSTATE in its context, and a code that follows from it.
    @discardableResult
    public func execute(_ sql: ServerSQL) throws(LockstepError) -> Int {
        guard sql.lookups.isEmpty else { throw fields == nil ? ServerSQL.keysMissing : ServerSQL.unread }
        return try session.run(sql).affected
    }

    /// Runs one statement, and reads the rows that it returns. With the keys of their dataset, sealed columns are open
    /// if the key of their row is in the result.
    /// - Throws: The errors of ``execute(_:)``, and those of `body`; `LockstepError.Code.misuse` for a sealed column
    ///   without its row's key, and for an expression that has its name; `LockstepError.Code.tampered` if another
    ///   relation stands in the place of its table; `LockstepError.Code.cellForged`,
    ///   `LockstepError.Code.cellMalformed`, `LockstepError.Code.keyUnavailable`; the errors of a registry that is
    ///   not proven.
    public func query<Output>(_ sql: ServerSQL, _ body: (ServerRow) throws -> Output) throws -> [Output] {
        try session.fields?.look(self)
        return try opening(session.run(sql), of: sql).map(body)
    }

    /// A result with its sealed columns open.
    func opening(
        _ result: ServerResult, of sql: ServerSQL
    ) throws -> SealedResult {
        guard let fields = session.fields, !fields.isLooking else {
            return SealedResult(plain: result)
        }
        return try SealedResult(result, fields, sql, self)
    }

    /// The first column of the first row; nil without rows, or for NULL.
    /// - Throws: The errors of ``execute(_:)``; `LockstepError.Code.decodeMismatch`.
    public func value<Output: ServerDecodable>(
        _ sql: ServerSQL, as type: Output.Type = Output.self
    ) throws -> Output? { try query(sql) { try $0[0] as Output? }.first ?? nil }

    /// Prepares a statement, whose parameters are `$1`, `$2` and so on. Look-ups in sealed columns,
    /// `\(sealed: "movies.title")`, take the first of them, in their order.
    /// - Throws: The errors of ``execute(_:)``; with look-ups also `LockstepError.Code.keyUnavailable`, and
    ///   `LockstepError.Code.misuse` where they cannot stand.
    public func prepare(_ sql: ServerSQL) throws(LockstepError) -> ServerStatement {
        let isOfLookups =
            sql.parameters.count == sql.lookups.count
            && sql.lookups.allSatisfy { $0.value == nil }
        if !sql.lookups.isEmpty, isOfLookups {
            return ServerStatement(
                session: session, lookup: try PreparedLookup(sql, session))
        }
        guard sql.parameters.isEmpty else {
            throw LockstepError(
                .misuse, "a statement to be prepared has values in it",
                hint: "write $1 where the value goes, and give the value with each run")
        }
        return ServerStatement(session: session, name: try session.prepare(sql.text), text: sql.text)
    }

    /// Runs `body` in a transaction, and commits. An error rolls back.
    /// - Throws: The errors of ``execute(_:)`` and of `body`; `LockstepError.Code.misuse` inside a transaction;
    ///   `LockstepError.Code.commitUnknown` if the connection is lost during the commit;
    ///   `LockstepError.Code.notReplicated` if it is committed and the server warns.
    @discardableResult
    public func transaction<Output>(_ body: (borrowing ServerConnection) throws -> Output)
        throws -> Output
    {
        guard !isInTransaction else {
            throw LockstepError(.misuse, "a transaction is open already", hint: "commit or roll back first")
        }
        try session.run("BEGIN")
        do {
            let output = try body(self)
            try session.commit()
            return output
        } catch {
            session.rollBack()
            throw error
        }
    }

    /// Sends rows to `COPY … FROM STDIN`.
    /// - Parameters:
    ///   - sql: The statement.
    ///   - body: Gets what takes the rows. An error that it throws leaves none of them.
    /// - Returns: The number of rows.
    /// - Throws: The errors of ``execute(_:)`` and of `body`; `LockstepError.Code.misuse` for another statement.
    @discardableResult
    @inline(never)
    public func copyIn(_ sql: ServerSQL, _ body: (borrowing CopyIn) throws -> Void) throws
        -> Int
    {
        guard !session.needsTransaction else {
            return try transaction { try $0.copyIn(sql, body) }
        }
        // The optimizer of Swift 6.3.1 aborts when it inlines this.
        try session.beginCopy(sql.text, PGRES_COPY_IN)
        do {
            try body(CopyIn(session: session))
        } catch {
            _ = try? session.endCopyIn(because: "the client gave up")
            throw error
        }
        return try session.endCopyIn()
    }

    /// Reads what `COPY … TO STDOUT` writes.
    /// - Parameters:
    ///   - sql: The statement.
    ///   - body: Called with each piece, which is a row.
    /// - Returns: The number of rows.
    /// - Throws: The errors of ``execute(_:)`` and of `body`; `LockstepError.Code.misuse` for another statement.
    @discardableResult
    public func copyOut(_ sql: ServerSQL, _ body: ([UInt8]) throws -> Void) throws -> Int {
        guard !session.needsTransaction else {
            return try transaction { try $0.copyOut(sql, body) }
        }
        try session.beginCopy(sql.text, PGRES_COPY_OUT)
        do {
            while let piece = try session.getCopy() { try body(piece) }
        } catch {
            session.abandonCopyOut()
            throw error
        }
        return try session.drain()
    }
}
