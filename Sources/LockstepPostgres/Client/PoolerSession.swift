internal import Lockstep

/// What a connection through a pooler such as pgbouncer takes. In its transaction mode, each transaction can be on
/// another connection with the server: what is set or prepared for a session stays on one that others get.
struct PoolerSession {
    /// The schema that the options name.
    let schema: String?
    /// The statements that a server would have prepared, by their names: their texts are sent each time.
    var statements: [String: String] = [:]  // exact: names that the client makes

    /// Whether a statement begins a transaction.
    static func begins(_ sql: ServerSQL) -> Bool {
        var reader = StatementReader(sql.text)
        return reader.take("begin") || reader.take("start", "transaction")
    }
}

extension ServerSession {
    /// Whether a statement outside a transaction needs one, so that names mean the schema's tables in it.
    var needsTransaction: Bool { pooler?.schema != nil && !isInTransaction }

    /// Sets the schema for the transaction that has just begun.
    func setSchema() throws(LockstepError) {
        guard let schema = pooler?.schema else { return }
        let quoted = SQLTokens.quote(schema)
        do throws(LockstepError) {
            try run("SELECT pg_catalog.set_config('search_path', \(quoted), true)")
        } catch {
            rollBack()
            throw error
        }
    }

    /// Runs what needs the schema, in a transaction of its own if there is none.
    func inSchema<Output>(
        _ body: () throws(LockstepError) -> Output
    ) throws(LockstepError) -> Output {
        guard needsTransaction else { return try body() }
        try run("BEGIN")
        do throws(LockstepError) {
            let output = try body()
            // What failed is in the output.
            if hasFailed { rollBack() } else { try commit() }
            return output
        } catch {
            rollBack()
            guard error.context.sqlState == "25001" else { throw error }
            throw LockstepError(
                .serverUnsupported,
                "\(address): through a pooler a schema holds for a transaction alone, and this statement cannot run in one",
                hint: "connect with the server itself, without the pooler",
                context: error.context)
        }
    }
}
