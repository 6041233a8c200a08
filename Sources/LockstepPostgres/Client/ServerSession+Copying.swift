internal import CPostgreSQL
internal import Lockstep

extension ServerSession {
    /// Ends a COPY that nobody has asked for.
    func abandonCopy(_ status: ExecStatusType) throws(LockstepError) {
        if status == PGRES_COPY_IN { _ = unsafe PQputCopyEnd(handle, "not a COPY call") }
        if status == PGRES_COPY_OUT { while try getCopy() != nil {} }
        if status == PGRES_COPY_BOTH { throw breakOff(.serverUnreachable, "began a replication that nobody asked for") }
        _ = try collect()
    }

    /// Begins a COPY.
    func beginCopy(_ text: String, _ wanted: ExecStatusType) throws(LockstepError) {
        try Self.requireNoZero(text)
        beginWait()
        guard unsafe PQsendQueryParams(handle, text, 0, nil, nil, nil, nil, 0) == 1 else { throw lost() }
        guard let result = try collect() else { throw lost() }
        guard result.status != wanted else { return }
        switch result.status {
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: try abandonCopy(result.status)
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
            try flush()
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
        while true {
            var buffer: UnsafeMutablePointer<CChar>?
            let length = unsafe PQgetCopyData(handle, &buffer, 1)
            if length == 0 {
                guard try awaitBytes() else { throw lost() }
                continue
            }
            guard length > 0, let start = unsafe buffer else {
                guard length == -1 else { throw lost() }
                return nil
            }
            defer { unsafe PQfreemem(start) }
            wait.quietBytes = 0
            return unsafe Array(UnsafeRawBufferPointer(start: start, count: Int(length)))
        }
    }

    /// Passes over what is left of a COPY whose rows nobody wants any more: a server that still sends can send for
    /// ever, so that the connection ends unless the rest is short.
    func abandonCopyOut() {
        guard !isLost else { return }
        var rest = 0
        do throws(LockstepError) {
            while let piece = try getCopy() {
                rest += piece.count
                guard rest <= Self.mostToPass else {
                    _ = breakOff(.interrupted, "still sent rows that nobody wanted any more")
                    return
                }
            }
            _ = try drain()
        } catch {
            // What began it says why: the connection has its state.
            endWait()
        }
    }

    private static let mostToPass = 64 << 20

    /// The number of rows of a COPY that has ended.
    /// - Parameter table: The table that the rows go to; an error names the row then.
    func drain(to table: String? = nil) throws(LockstepError) -> Int {
        let result = try collect()
        let isCancelled = endWait()
        guard let result else { throw lost() }
        switch result.status {
        case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
            guard !isCancelled else { throw Self.cancelled }
            return result.affected
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH:
            throw breakOff(.serverUnreachable, "began another COPY in place of the end of one")
        default:
            if isLost { throw lost() }
            throw result.failure.error(to: table)
        }
    }
}
