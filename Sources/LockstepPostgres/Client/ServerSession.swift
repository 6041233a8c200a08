internal import CPostgreSQL
internal import Lockstep
internal import Synchronization

/// A connection in libpq's memory. Its functions block.
// Sendable by this proof: a ServerConnection, or the lease of a pool, is used by one thread at a time, and nothing else
// reaches the session.
@safe
final class ServerSession: @unchecked Sendable {
    let handle: OpaquePointer
    let address: ServerAddress
    /// The server's warnings since the last statement began.
    let warnings = Warnings()
    let options: ServerOptions
    /// What the statement that runs has waited for.
    var wait = ServerWait()
    /// Why the connection was ended here; nil if it was not.
    var brokenOff: LockstepError?
    private var preparedCount = 0
    /// What a pooler takes that a server itself does not; nil without one.
    private(set) var pooler: PoolerSession?
    /// The sealed columns; nil without keys.
    private(set) var fields: ServerFields?

    convenience init(_ address: ServerAddress, _ credentials: ServerCredentials, _ options: ServerOptions) throws {
        let parameters = try ConnectionParameters(address, credentials, options)
        try unsafe self.init(parameters.connect(), address, options)
    }

    /// A second connection with the same server, as the same role, and without keys.
    convenience init(beside other: ServerSession) throws {
        var options = other.options
        (options.fieldKeys, options.sealed) = ([], [])
        try unsafe self.init(
            ConnectionParameters.connect(beside: other.handle, other.address, options), other.address, options)
    }

    /// - Parameter handle: What libpq has connected, or failed to.
    private init(
        _ handle: OpaquePointer, _ address: ServerAddress, _ options: ServerOptions
    ) throws {
        unsafe self.handle = unsafe handle
        (self.address, self.options) = (address, options)
        guard unsafe PQstatus(handle) == CONNECTION_OK else {
            let error = ConnectionFailure.error(
                unsafe String(cString: PQerrorMessage(handle)), address,
                needsPassword: unsafe PQconnectionNeedsPassword(handle) == 1,
                usedPassword: unsafe PQconnectionUsedPassword(handle) == 1)
            throw error
        }
        unsafe PQsetNoticeReceiver(
            handle,
            { context, result in
                guard let context = unsafe context, let result = unsafe result else { return }
                let warnings = unsafe Unmanaged<Warnings>.fromOpaque(context).takeUnretainedValue()
                warnings.addNotice()
                let severity = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "V")))
                guard let severity = unsafe severity,
                    unsafe String(cString: severity) == "WARNING"
                else { return }
                warnings.addWarning()
            }, Unmanaged.passUnretained(warnings).toOpaque())
        // What is sent waits for the server under the same limits as what comes.
        guard unsafe PQsetnonblocking(handle, 1) == 0 else { throw lost() }
        try settle()
        guard !options.fieldKeys.isEmpty || !options.sealed.isEmpty else { return }
        fields = try ServerFields(options, ServerConnection(self))
    }

    deinit {
        endWait()
        unsafe PQfinish(handle)
    }

    /// Checks whom it is connected with, and makes the session independent of the role's settings.
    private func settle() throws {
        try PeerCheck.require(unsafe PQsocket(handle), address)
        let version = Int(unsafe PQserverVersion(handle))
        guard version >= ServerConnection.oldestVersion * 10_000 else {
            throw LockstepError(
                .serverUnsupported, "\(address): the server is PostgreSQL \(version / 10_000)",
                hint: "Lockstep needs PostgreSQL \(ServerConnection.oldestVersion) or newer")
        }
        let encoding = unsafe PQparameterStatus(handle, "server_encoding")
        guard let encoding = unsafe encoding, unsafe String(cString: encoding) == "UTF8" else {
            throw LockstepError(
                .serverUnsupported, "\(address): the database's encoding is not UTF-8",
                hint: "create it with the encoding UTF8 from the template template0")
        }
        let backend = try run(
            """
            SELECT pg_catalog.pg_backend_pid()::int8,
                pg_catalog.set_config('standard_conforming_strings', 'on', false),
                pg_catalog.set_config('TimeZone', 'UTC', false), pg_catalog.set_config('DateStyle', 'ISO', false),
                pg_catalog.set_config('bytea_output', 'hex', false),
                pg_catalog.set_config('extra_float_digits', '1', false)
            """)
        // A pooler gives its clients numbers of its own.
        guard try backend.value(0, 0) == .integer(Int64(processID)) else {
            pooler = PoolerSession(schema: options.schema)
            return
        }
        if let schema = options.schema {
            let quoted = SQLTokens.quote(schema)
            try run("SELECT pg_catalog.set_config('search_path', \(quoted), false)")
        }
    }

    var isInTransaction: Bool { unsafe PQtransactionStatus(handle) != PQTRANS_IDLE }
    var hasFailed: Bool { unsafe PQtransactionStatus(handle) == PQTRANS_INERROR }
    var isLost: Bool { unsafe brokenOff != nil || PQstatus(handle) != CONNECTION_OK }
    var version: Int { Int(unsafe PQserverVersion(handle)) }
    var processID: Int32 { unsafe PQbackendPID(handle) }

    // MARK: Statements

    /// Runs one statement by the extended protocol, which refuses several.
    @discardableResult
    func run(_ sql: ServerSQL) throws(LockstepError) -> ServerResult {
        guard needsTransaction else { return try send(sql) }
        guard PoolerSession.begins(sql) else {
            return try inSchema { () throws(LockstepError) in try send(sql) }
        }
        let result = try send(sql)
        try setSchema()
        return result
    }

    private func send(_ sql: ServerSQL) throws(LockstepError) -> ServerResult {
        try Self.requireNoZero(sql.text)
        let sql = try sql.resolved(fields)
        return try unsafe sql.parameters.withServerArrays {
            count, types, values, lengths, formats throws(LockstepError) in
            beginWait(mayCancel: !Self.ends.contains(ExactText(sql.text)))
            let isSent = unsafe PQsendQueryParams(handle, sql.text, count, types, values, lengths, formats, 0)
            return try answer(isSent, sql.text)
        }
    }

    /// What ends a transaction is awaited: a server that waits for a standby answers a cancelled COMMIT with success.
    private static let ends: Set<ExactText> = ["COMMIT", "ROLLBACK"]

    /// The answer to a statement that was sent.
    private func answer(_ isSent: Int32, _ sql: String? = nil) throws(LockstepError) -> ServerResult {
        guard isSent == 1 else { throw lost() }
        let result: ServerResult
        do throws(LockstepError) {
            guard let answer = try collect() else { throw lost() }
            result = try finish(answer, sql)
        } catch {
            endWait()
            throw error
        }
        // The cancellation came too late for it, and must not reach what follows.
        guard !endWait() else { throw Self.cancelled }
        return result
    }

    static let cancelled = LockstepError(.interrupted, "the statement was cancelled")

    func prepare(_ text: String) throws(LockstepError) -> String {
        try Self.requireNoZero(text)
        preparedCount += 1
        let name = "lockstep_\(preparedCount)"
        guard pooler == nil else {
            pooler?.statements[name] = text
            return name
        }
        beginWait()
        _ = try unsafe answer(PQsendPrepare(handle, name, text, 0, nil))
        return name
    }

    func run(
        prepared name: String, _ parameters: [ServerParameter]
    ) throws(LockstepError) -> ServerResult {
        try inSchema { () throws(LockstepError) in
            try unsafe parameters.withServerArrays {
                count, _, values, lengths, formats throws(LockstepError) in
                beginWait()
                if let text = pooler?.statements[name] {
                    return try unsafe answer(
                        PQsendQueryParams(handle, text, count, nil, values, lengths, formats, 0))
                }
                return try unsafe answer(PQsendQueryPrepared(handle, name, count, values, lengths, formats, 0))
            }
        }
    }

    /// Whether a prepared statement is one of this session.
    func hasPrepared(_ name: String) -> Bool {
        name.rest(after: "lockstep_").flatMap { Int($0) }.map { $0 >= 1 && $0 <= preparedCount } ?? false
    }

    /// Forgets a prepared statement.
    func forget(prepared name: String) {
        guard pooler == nil else {
            pooler?.statements[name] = nil
            return
        }
        // One that stays costs the server memory, and nothing else.
        if !hasFailed { _ = try? run(ServerSQL(verbatim: "DEALLOCATE \(name)")) }
    }

    /// Ends the transaction.
    /// - Throws: `LockstepError.Code.commitUnknown` if the connection is lost meanwhile;
    ///   `LockstepError.Code.notReplicated` if the server committed with a warning.
    func commit() throws(LockstepError) {
        let result: ServerResult
        do throws(LockstepError) {
            result = try run("COMMIT")
        } catch {
            guard isLost else { throw error }
            throw LockstepError(
                .commitUnknown,
                "\(address): the connection was lost while the server committed, so whether it has is not known",
                hint: "look at the database: run the same again", context: error.context)
        }
        guard result.command == "COMMIT" else {
            throw LockstepError(
                .sqlFailed, "the server rolled the transaction back, since a statement of it had failed")
        }
        guard warnings.count == 0 else {
            throw LockstepError(
                .notReplicated,
                "\(address): committed, but the server warned meanwhile: a standby may not have confirmed it",
                hint: "check the standbys and the server's log; do not write it again")
        }
    }

    /// Rolls back, unless the connection is gone, which does the same.
    func rollBack() {
        guard isInTransaction, !isLost else { return }
        _ = try? run("ROLLBACK")
    }

    private func finish(_ result: ServerResult, _ sql: String?) throws(LockstepError) -> ServerResult {
        if !isInTransaction { fields?.hasLooked = false }
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_PIPELINE_SYNC:
            return result
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            try abandonCopy(result.status)
            throw LockstepError(
                .misuse, "COPY FROM STDIN and COPY TO STDOUT need a call of their own",
                hint: "use `copyIn` or `copyOut`")
        default:
            if isLost { throw lost() }
            throw result.failure.error(in: sql)
        }
    }

    func lost() -> LockstepError {
        if let brokenOff { return brokenOff }
        let text = unsafe String(cString: PQerrorMessage(handle))
        let failure = ServerFailure(state: "", message: text)
        return LockstepError(
            .serverUnreachable, "\(address): the connection was lost: \(failure.message)",
            hint: "check that the server runs, then try again",
            context: .init(sqlState: "08006"))
    }

    static func requireNoZero(_ text: String) throws(LockstepError) {
        guard text.utf8.contains(0) else { return }
        throw LockstepError(.typeMismatch, "SQL for a server cannot contain U+0000")
    }
}

/// How many notices and warnings came.
final class Warnings: Sendable {
    private let all = Atomic<Int>(0)
    private let serious = Atomic<Int>(0)

    /// Notices of any kind.
    var notices: Int { all.load(ordering: .relaxed) }
    var count: Int { serious.load(ordering: .relaxed) }

    func addNotice() { all.wrappingAdd(1, ordering: .relaxed) }
    func addWarning() { serious.wrappingAdd(1, ordering: .relaxed) }

    func reset() {
        all.store(0, ordering: .relaxed)
        serious.store(0, ordering: .relaxed)
    }
}
