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
    private let options: ServerOptions
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
        try unsafe self.init(ConnectionParameters.connect(beside: other.handle), other.address, options)
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
                let severity = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "V")))
                guard let severity = unsafe severity,
                    unsafe String(cString: severity) == "WARNING"
                else { return }
                unsafe Unmanaged<Warnings>.fromOpaque(context).takeUnretainedValue().count
                    .wrappingAdd(1, ordering: .relaxed)
            }, Unmanaged.passUnretained(warnings).toOpaque())
        try settle()
        guard !options.fieldKeys.isEmpty || !options.sealed.isEmpty else { return }
        fields = try ServerFields(options, ServerConnection(self))
    }

    deinit { unsafe PQfinish(handle) }

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
    var isLost: Bool { unsafe PQstatus(handle) != CONNECTION_OK }
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
        warnings.count.store(0, ordering: .relaxed)
        try Self.requireNoZero(sql.text)
        let sql = try sql.resolved(fields)
        return try unsafe sql.parameters.withServerArrays {
            count, types, values, lengths, formats throws(LockstepError) in
            guard let shouldContinue = options.shouldContinue, !Self.ends.contains(ExactText(sql.text)) else {
                return try unsafe finish(
                    PQexecParams(
                        handle, sql.text, count, types, values, lengths, formats, 0), sql.text)
            }
            guard
                unsafe PQsendQueryParams(
                    handle, sql.text, count, types, values, lengths, formats, 0) == 1
            else { throw lost() }
            let isCancelled = awaitAnswer(while: shouldContinue)
            let result = try unsafe finish(lastResult(), sql.text)
            // The cancellation came too late for it, and must not reach what follows, such as a COMMIT.
            guard !isCancelled else {
                throw LockstepError(.interrupted, "the statement was cancelled")
            }
            return result
        }
    }

    /// What ends a transaction is awaited.
    private static let ends: Set<ExactText> = ["COMMIT", "ROLLBACK"]

    /// Waits for the server, and cancels the statement once it is no longer wanted: what was cancelled then answers
    /// with an error. Never waits for a COMMIT, which a server that waits for a standby answers with success when it
    /// is cancelled.
    /// - Returns: Whether it was cancelled.
    private func awaitAnswer(while shouldContinue: () -> Bool) -> Bool {
        var isCancelled = false
        while unsafe PQisBusy(handle) == 1 {
            guard lockstep_await_input(unsafe PQsocket(handle), 100) == 0 else {
                guard unsafe PQconsumeInput(handle) == 1 else { break }
                continue
            }
            guard !isCancelled, !shouldContinue() else { continue }
            isCancelled = true
            guard let cancel = unsafe PQgetCancel(handle) else { continue }
            // A failure is no answer either: the statement then goes on.
            var reason: [CChar] = Array(repeating: 0, count: 256)
            _ = unsafe PQcancel(cancel, &reason, Int32(reason.count))
            unsafe PQfreeCancel(cancel)
        }
        return isCancelled
    }

    /// The last result of the statement that was sent, as `PQexecParams` answers it; nil if the connection is lost.
    private func lastResult() -> OpaquePointer? {
        var last: OpaquePointer?
        while let next = unsafe PQgetResult(handle) {
            unsafe PQclear(last)
            unsafe last = unsafe next
            // Without an answer to COPY there is no next result.
            let status = unsafe PQresultStatus(next)
            guard ![PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH].contains(status) else {
                break
            }
        }
        return unsafe last
    }

    func prepare(_ text: String) throws(LockstepError) -> String {
        try Self.requireNoZero(text)
        preparedCount += 1
        let name = "lockstep_\(preparedCount)"
        guard pooler == nil else {
            pooler?.statements[name] = text
            return name
        }
        _ = try unsafe finish(PQprepare(handle, name, text, 0, nil))
        return name
    }

    func run(
        prepared name: String, _ parameters: [ServerParameter]
    ) throws(LockstepError) -> ServerResult {
        warnings.count.store(0, ordering: .relaxed)
        return try inSchema { () throws(LockstepError) in
            try unsafe parameters.withServerArrays {
                count, _, values, lengths, formats throws(LockstepError) in
                if let text = pooler?.statements[name] {
                    return try unsafe finish(
                        PQexecParams(
                            handle, text, count, nil, values, lengths, formats, 0))
                }
                return try unsafe finish(PQexecPrepared(handle, name, count, values, lengths, formats, 0))
            }
        }
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
        guard warnings.count.load(ordering: .relaxed) == 0 else {
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

    private func finish(
        _ pointer: OpaquePointer?, _ sql: String? = nil
    ) throws(LockstepError) -> ServerResult {
        guard let pointer = unsafe pointer else { throw lost() }
        let result = unsafe ServerResult(pointer)
        if !isInTransaction { fields?.hasLooked = false }
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY, PGRES_PIPELINE_SYNC:
            return result
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            abandonCopy(result.status)
            throw LockstepError(
                .misuse, "COPY FROM STDIN and COPY TO STDOUT need a call of their own",
                hint: "use `copyIn` or `copyOut`")
        default:
            if isLost { throw lost() }
            throw result.failure.error(in: sql)
        }
    }

    func lost() -> LockstepError {
        let text = unsafe String(cString: PQerrorMessage(handle))
        let failure = ServerFailure(state: "", message: text)
        return LockstepError(
            .serverUnreachable, "\(address): the connection was lost: \(failure.message)",
            hint: "check that the server runs, then try again",
            context: .init(sqlState: "08006"))
    }

    private static func requireNoZero(_ text: String) throws(LockstepError) {
        guard text.utf8.contains(0) else { return }
        throw LockstepError(.typeMismatch, "SQL for a server cannot contain U+0000")
    }

    // MARK: COPY

    private func abandonCopy(_ status: ExecStatusType) {
        if status == PGRES_COPY_IN { _ = unsafe PQputCopyEnd(handle, "not a COPY call") }
        if status == PGRES_COPY_OUT {
            var buffer: UnsafeMutablePointer<CChar>?
            while unsafe PQgetCopyData(handle, &buffer, 0) > 0 { unsafe PQfreemem(buffer) }
        }
        while let rest = unsafe PQgetResult(handle) { unsafe PQclear(rest) }
    }

    /// Begins a COPY.
    func beginCopy(_ text: String, _ wanted: ExecStatusType) throws(LockstepError) {
        try Self.requireNoZero(text)
        guard let pointer = unsafe PQexecParams(handle, text, 0, nil, nil, nil, nil, 0) else {
            throw lost()
        }
        let result = unsafe ServerResult(pointer)
        guard result.status != wanted else { return }
        switch result.status {
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: abandonCopy(result.status)
        case PGRES_FATAL_ERROR, PGRES_BAD_RESPONSE:
            if isLost { throw lost() }
            throw result.failure.error()
        default: break
        }
        throw LockstepError(
            .misuse, "the statement is not a COPY of this direction",
            hint: wanted == PGRES_COPY_IN ? "write COPY … FROM STDIN" : "write COPY … TO STDOUT"
        )
    }

    /// Begins a COPY that takes rows.
    func beginCopyIn(_ text: String) throws(LockstepError) {
        try beginCopy(text, PGRES_COPY_IN)
    }

    func putCopy(_ bytes: [UInt8]) throws(LockstepError) {
        // libpq takes pieces of less than 2^31 bytes.
        var rest = bytes[...]
        while !rest.isEmpty {
            let piece = rest.prefix(1 << 24)
            let code = unsafe piece.withUnsafeBytes { bytes in
                unsafe PQputCopyData(handle, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
            }
            guard code == 1 else { throw lost() }
            rest = rest[piece.endIndex...]
        }
    }

    /// - Parameters:
    ///   - reason: Why nothing of it counts; nil to take it.
    ///   - table: The table that the rows go to; an error names the row then.
    /// - Returns: The number of rows.
    func endCopyIn(
        because reason: String? = nil, to table: String? = nil
    ) throws(LockstepError) -> Int {
        let code =
            if let reason { unsafe PQputCopyEnd(handle, reason) } else {
                unsafe PQputCopyEnd(handle, nil)
            }
        guard code == 1 else { throw lost() }
        return try drain(to: table)
    }

    /// - Returns: The next piece; nil at the end.
    func getCopy() throws(LockstepError) -> [UInt8]? {
        var buffer: UnsafeMutablePointer<CChar>?
        let length = unsafe PQgetCopyData(handle, &buffer, 0)
        guard length >= 0, let start = unsafe buffer else {
            guard length == -1 else { throw lost() }
            return nil
        }
        defer { unsafe PQfreemem(start) }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(length)))
    }

    /// The number of rows of a COPY that has ended.
    /// - Parameter table: The table that the rows go to; an error names the row then.
    func drain(to table: String? = nil) throws(LockstepError) -> Int {
        var affected = 0
        var failure: LockstepError?
        while let pointer = unsafe PQgetResult(handle) {
            let result = unsafe ServerResult(pointer)
            switch result.status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: affected += result.affected
            case PGRES_COPY_IN, PGRES_COPY_OUT: abandonCopy(result.status)
            default: failure = failure ?? (isLost ? lost() : result.failure.error(to: table))
            }
        }
        if let failure { throw failure }
        return affected
    }
}

/// How many warnings came.
final class Warnings: Sendable {
    let count = Atomic<Int>(0)
}
