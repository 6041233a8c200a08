internal import CPostgreSQL
internal import Lockstep

extension ServerSession {
    /// Runs a prepared statement once for each row of values, without waiting for an answer in between. Outside a
    /// transaction they are one: the first that fails undoes all.
    /// - Parameter body: Gets the answer to each row, until one fails. An error that it throws is that of the row; in a
    ///   transaction, what ran then is to be rolled back.
    /// - Returns: The number of rows that it changed.
    /// - Throws: The error of the first row that fails, with the row's number.
    @discardableResult
    func runPipelined(
        prepared name: String, _ rows: [[ServerParameter]],
        _ body: (ServerResult) throws(LockstepError) -> Void = { _ in }
    ) throws(LockstepError) -> Int {
        // Before anything is sent: what cannot be sent ends no pipeline half-way.
        for row in rows { try row.requireSendable() }
        guard !rows.isEmpty else { return 0 }
        return try inSchema { () throws(LockstepError) in try pipeline(name, rows, body) }
    }

    private func pipeline(
        _ name: String, _ rows: [[ServerParameter]], _ body: (ServerResult) throws(LockstepError) -> Void
    ) throws(LockstepError) -> Int {
        beginWait()
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw lost() }
        defer { endPipeline() }
        var answers = PipelineAnswers()
        for (number, row) in rows.enumerated() where answers.failure == nil {
            try unsafe row.withServerArrays {
                count, _, values, lengths, formats throws(LockstepError) in
                guard unsafe send(prepared: name, count, values, lengths, formats) else {
                    throw lost()
                }
            }
            guard (number + 1).isMultiple(of: Self.group) else { continue }
            guard unsafe PQsendFlushRequest(handle) == 1 else { throw lost() }
            try flush()
            // The answers to the group before: the server works on this one meanwhile, and memory stays flat.
            try take(&answers, upTo: number + 1 - Self.group, body)
        }
        guard unsafe PQpipelineSync(handle) == 1 else { throw lost() }
        try take(&answers, upTo: .max, body)
        if let failure = answers.failure { throw failure }
        return answers.affected
    }

    /// How many rows are sent between two looks at the answers.
    private static let group = 256

    /// What the statements of a pipeline have answered.
    private struct PipelineAnswers {
        var affected = 0
        /// How many statements have answered.
        var count = 0
        /// The error of the first that failed.
        var failure: LockstepError?
    }

    /// Takes answers until this many statements have answered, one has failed, or the pipeline has ended.
    private func take(
        _ answers: inout PipelineAnswers, upTo count: Int, _ body: (ServerResult) throws(LockstepError) -> Void
    ) throws(LockstepError) {
        let isEnding = count == .max
        while answers.count < count, isEnding || answers.failure == nil {
            guard let result = try collect() else { throw lost() }
            switch result.status {
            case PGRES_PIPELINE_SYNC: return
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK:
                answers.affected += result.affected
                answers.count += 1
                guard answers.failure == nil else { continue }
                do throws(LockstepError) {
                    try body(result)
                } catch {
                    answers.failure = error.located("row \(answers.count)")
                }
            case PGRES_PIPELINE_ABORTED: break
            default:
                if isLost { throw lost() }
                answers.count += 1
                answers.failure = answers.failure ?? result.failure.error().located("row \(answers.count)")
            }
        }
    }

    /// Runs two prepared statements in one round trip. Outside a transaction they are one: the first that fails ends
    /// both.
    /// - Returns: What each answered; the second with an error if the first failed.
    func runTogether(
        _ first: String, _ second: String, _ parameters: [ServerParameter]
    ) throws(LockstepError) -> (
        Result<ServerResult, LockstepError>, Result<ServerResult, LockstepError>
    ) {
        try parameters.requireSendable()
        return try inSchema { () throws(LockstepError) in
            try together(first, second, parameters)
        }
    }

    private func together(
        _ first: String, _ second: String, _ parameters: [ServerParameter]
    ) throws(LockstepError) -> (
        Result<ServerResult, LockstepError>, Result<ServerResult, LockstepError>
    ) {
        beginWait()
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw lost() }
        defer { endPipeline() }
        guard unsafe send(prepared: first, 0, nil, nil, nil, binary: true) else {
            throw lost()
        }
        try unsafe parameters.withServerArrays {
            count, _, values, lengths, formats throws(LockstepError) in
            guard unsafe send(prepared: second, count, values, lengths, formats) else {
                throw lost()
            }
        }
        guard unsafe PQpipelineSync(handle) == 1 else { throw lost() }
        var results: [ServerResult] = []
        while let result = try collect(), result.status != PGRES_PIPELINE_SYNC { results.append(result) }
        guard results.count == 2 else { throw lost() }
        return (Self.rows(results[0]), Self.rows(results[1]))
    }

    /// Runs statements in one round trip, in the open transaction. The first that fails ends them.
    /// - Returns: What the last one answered.
    @discardableResult
    func runTogether(_ statements: [ServerSQL]) throws(LockstepError) -> ServerResult {
        beginWait()
        guard unsafe PQenterPipelineMode(handle) == 1 else { throw lost() }
        defer { endPipeline() }
        for sql in statements {
            try unsafe sql.parameters.withServerArrays {
                count, types, values, lengths, formats throws(LockstepError) in
                guard unsafe PQsendQueryParams(handle, sql.text, count, types, values, lengths, formats, 0) == 1 else {
                    throw lost()
                }
            }
        }
        guard unsafe PQpipelineSync(handle) == 1 else { throw lost() }
        var last: ServerResult?
        var failure: LockstepError?
        while let result = try collect(), result.status != PGRES_PIPELINE_SYNC {
            switch result.status {
            case PGRES_COMMAND_OK, PGRES_TUPLES_OK: last = result
            case PGRES_PIPELINE_ABORTED: break
            default: failure = failure ?? result.failure.error()
            }
        }
        if isLost { throw lost() }
        if let failure { throw failure }
        guard let last else { throw lost() }
        return last
    }

    private func endPipeline() {
        endWait()
        _ = unsafe PQexitPipelineMode(handle)
    }

    /// Sends a prepared statement.
    /// - Returns: False if libpq has failed.
    private func send(
        prepared name: String, _ count: Int32, _ values: UnsafePointer<UnsafePointer<CChar>?>?,
        _ lengths: UnsafePointer<Int32>?, _ formats: UnsafePointer<Int32>?,
        binary: Bool = false
    ) -> Bool {
        if let text = pooler?.statements[name] {
            return unsafe PQsendQueryParams(handle, text, count, nil, values, lengths, formats, binary ? 1 : 0) == 1
        }
        return unsafe PQsendQueryPrepared(handle, name, count, values, lengths, formats, binary ? 1 : 0) == 1
    }

    private static func rows(_ result: ServerResult) -> Result<ServerResult, LockstepError> {
        result.status == PGRES_TUPLES_OK ? .success(result) : .failure(result.failure.error())
    }
}
