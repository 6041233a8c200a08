internal import CPostgreSQL
internal import Lockstep

/// Waiting for the server, within the limits of the options. What is at the other end can send anything, or nothing.
extension ServerSession {
    /// Begins to wait for the answer to a statement.
    func beginWait(mayCancel: Bool = true) {
        endWait()
        warnings.reset()
        wait = ServerWait(mayCancel: mayCancel)
    }

    /// Waits for what has been sent, and takes its rows: the result of one statement, or nil where a pipeline has none.
    func collect() throws(LockstepError) -> ServerResult? {
        var rows = ServerRows()
        var last: OpaquePointer?
        defer { unsafe PQclear(last) }
        // Taken over by the result.
        func finish() -> ServerResult? {
            guard let pointer = unsafe last else { return nil }
            unsafe last = nil
            return unsafe ServerResult(pointer, rows)
        }
        while true {
            // Refused, and not needed, where no rows are to come.
            _ = unsafe PQsetSingleRowMode(handle)
            guard let next = try unsafe nextResult() else { return finish() }
            let status = unsafe PQresultStatus(next)
            guard status != PGRES_SINGLE_TUPLE else {
                defer { unsafe PQclear(next) }
                try unsafe append(next, to: &rows)
                continue
            }
            unsafe PQclear(last)
            unsafe last = next
            wait.results += 1
            guard wait.results <= Self.mostResults || isInPipeline else {
                throw breakOff(.limitExceeded, "answers one statement with more results than it has")
            }
            // Without an answer to COPY there is no next result.
            let isLast = [PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH, PGRES_PIPELINE_SYNC].contains(status)
            if isLast { return finish() }
        }
    }

    /// One statement has one result, and a connection that ends another.
    private static let mostResults = 4

    private var isInPipeline: Bool { unsafe PQpipelineStatus(handle) != PQ_PIPELINE_OFF }

    private func append(_ row: OpaquePointer, to rows: inout ServerRows) throws(LockstepError) {
        guard unsafe rows.append(row) else {
            throw breakOff(.serverUnreachable, "sent a row that does not fit the rows before it")
        }
        guard rows.size <= options.limits.resultBytes, rows.count <= options.limits.resultRows else {
            throw breakOff(
                .limitExceeded, "answers with more rows than a result may have",
                hint: "ask for fewer rows, read them with `copyOut`, or raise ServerOptions.limits")
        }
    }

    /// The next result of what was sent; nil at its end.
    func nextResult() throws(LockstepError) -> OpaquePointer? {
        try flush()
        while unsafe PQisBusy(handle) == 1 {
            guard try awaitBytes() else { break }
        }
        if let brokenOff { throw brokenOff }
        try requireFewNotices()
        wait.quietBytes = 0
        return unsafe PQgetResult(handle)
    }

    /// Sends what libpq keeps to send.
    func flush() throws(LockstepError) {
        while true {
            let left = unsafe PQflush(handle)
            guard left != 0 else { return }
            guard left > 0, try awaitBytes(forWriting: true) else { throw lost() }
        }
    }

    /// Waits a moment for bytes, or for room to write.
    /// - Returns: False if the connection has ended.
    func awaitBytes(forWriting: Bool = false) throws(LockstepError) -> Bool {
        // What TLS has read ahead does not wait at the socket.
        if !forWriting, unsafe PQsslInUse(handle) == 1 {
            guard unsafe PQconsumeInput(handle) == 1 else { return false }
            if unsafe PQisBusy(handle) == 0 { return true }
        }
        let socket = unsafe PQsocket(handle)
        if lockstep_await(socket, forWriting ? 1 : 0, 100) != 0 {
            let count = Int(lockstep_waiting_bytes(socket))
            guard unsafe PQconsumeInput(handle) == 1 else { return false }
            if count > 0 {
                wait.heardAt = Clock.monotonicMicroseconds
                // No more than libpq's buffer takes at once.
                wait.quietBytes += min(count, 1 << 14)
            }
        }
        while let notification = unsafe PQnotifies(handle) {
            unsafe PQfreemem(notification)
            warnings.addNotice()
        }
        try requireWithinLimits()
        return true
    }

    private func requireFewNotices() throws(LockstepError) {
        let limit = options.limits.notices
        guard warnings.notices > limit else { return }
        throw breakOff(.limitExceeded, "sent more than \(limit) notices beside one result")
    }

    private func requireWithinLimits() throws(LockstepError) {
        let limits = options.limits
        let now = Clock.monotonicMicroseconds
        try requireFewNotices()
        if wait.quietBytes > 2 * limits.resultBytes {
            throw breakOff(.limitExceeded, "sent more bytes beside one row than a result may have")
        }
        if let silence = limits.silence, now - wait.heardAt > silence.wholeMicroseconds {
            throw breakOff(.serverUnreachable, "was silent for longer than \(silence)")
        }
        if let unwantedAt = wait.unwantedAt {
            guard now - unwantedAt > limits.cancellation.wholeMicroseconds else { return }
            throw breakOff(.interrupted, "did not end the statement that was cancelled")
        }
        guard now - wait.askedAt >= Self.asking else { return }
        wait.askedAt = now
        guard options.shouldContinue?() == false else { return }
        wait.unwantedAt = now
        if wait.mayCancel { unsafe wait.cancellation = unsafe lockstep_cancellation_begin(handle) }
    }

    /// In microseconds.
    private static let asking: Int64 = 100_000

    /// Ends the wait for a statement. A cancellation that came too late for it must not reach what follows, such as a
    /// COMMIT.
    /// - Returns: Whether it was cancelled.
    @discardableResult
    func endWait() -> Bool {
        guard let cancellation = unsafe wait.cancellation else { return false }
        unsafe wait.cancellation = nil
        defer { unsafe lockstep_cancellation_release(cancellation) }
        let start = Clock.monotonicMicroseconds
        while unsafe lockstep_cancellation_has_ended(cancellation) == 0 {
            guard Clock.time(since: start) < options.limits.cancellation else {
                _ = breakOff(.interrupted, "did not take the cancellation of a statement")
                return true
            }
            Clock.pause(milliseconds: 1)
        }
        return true
    }

    /// Ends the connection with a server that is no longer believed.
    func breakOff(_ code: LockstepError.Code, _ what: String, hint: String? = nil) -> LockstepError {
        lockstep_break_off(unsafe PQsocket(handle))
        let error = LockstepError(
            code, "\(address): the server \(what)",
            hint: hint ?? "check that a PostgreSQL server answers there; the limits are those of ServerOptions.limits")
        brokenOff = brokenOff ?? error
        return error
    }
}
