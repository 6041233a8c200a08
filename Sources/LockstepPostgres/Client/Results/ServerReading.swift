package import Lockstep

extension ServerConnection {
    /// Runs one statement that reads, and takes its rows a few hundred at a time: a result of any size needs little
    /// memory. With the keys of their dataset, sealed columns are open as ``query(_:_:)`` opens them.
    /// - Parameters:
    ///   - sql: A SELECT, WITH, VALUES, TABLE, EXPLAIN or SHOW. It runs in a transaction that cannot write.
    ///   - timeout: How long each step of it may take on the server; nil for any time.
    ///   - header: Called once, with the names of the columns.
    ///   - row: Called with each row's values.
    /// - Throws: `LockstepError.Code.misuse` for another statement; the errors of ``query(_:_:)``; what the functions
    ///   throw.
    package func read(
        _ sql: String, timeout: Duration? = nil, header: ([String]) throws -> Void, row: ([Value]) throws -> Void
    ) throws {
        let isCursor = try Self.requireReading(sql)
        try session.run("BEGIN READ ONLY")
        defer { session.rollBack() }
        if let timeout {
            let milliseconds = Int32(clamping: Int64((timeout / .milliseconds(1)).rounded(.up)))
            try execute("SELECT pg_catalog.set_config('statement_timeout', \(String(max(1, milliseconds))), true)")
        }
        guard isCursor else {
            _ = try take(ServerSQL(verbatim: sql), of: sql, header, row)
            return
        }
        try execute(ServerSQL(verbatim: "DECLARE lockstep_rows NO SCROLL CURSOR FOR \(sql)"))
        var isFirst = true
        while try take("FETCH FORWARD 500 FROM lockstep_rows", of: sql, isFirst ? header : { _ in }, row)
            > 0
        {
            isFirst = false
        }
    }

    /// - Parameter text: The statement whose rows these are.
    /// - Returns: The number of rows.
    private func take(
        _ sql: ServerSQL, of text: String, _ header: ([String]) throws -> Void, _ row: ([Value]) throws -> Void
    ) throws -> Int {
        try session.fields?.look(self)
        let result = try session.run(sql)
        try header((0..<result.columnCount).map { result.name($0) })
        _ = try opening(result, of: ServerSQL(verbatim: text)).map { one in
            try row((0..<one.count).map { try one.value($0) })
        }
        return result.rowCount
    }

    /// - Returns: Whether a cursor can run it.
    private static func requireReading(_ sql: String) throws(LockstepError) -> Bool {
        var reader = StatementReader(sql)
        while reader.take("(") {}
        for word in ["select", "with", "values", "table"] where reader.take(word) {
            return true
        }
        for word in ["explain", "show"] where reader.take(word) { return false }
        throw LockstepError(.misuse, "a statement that reads begins with SELECT, WITH, VALUES, TABLE, EXPLAIN or SHOW")
    }
}
