#if Postgres
    public import Lockstep

    /// A prepared statement of a connection, for as long as the connection lasts.
    public struct ServerStatement {
        let session: ServerSession
        let name: String

        /// Runs it with these values.
        /// - Returns: How many rows it inserted, changed, deleted or returned.
        /// - Throws: The errors of ``ServerConnection/execute(_:)``.
        @discardableResult
        public func execute(_ values: any ServerEncodable...) throws(LockstepError) -> Int {
            try session.run(prepared: name, values.map { $0.serverParameter }).affected
        }

        /// Runs it with these values, and reads the rows that it returns.
        /// - Throws: The errors of ``ServerConnection/query(_:_:)``.
        public func query<Output>(
            _ values: any ServerEncodable..., read body: (ServerRow) throws -> Output
        ) throws -> [Output] {
            let connection = ServerConnection(session)
            try session.fields?.look(connection)
            let result = try session.run(prepared: name, values.map { $0.serverParameter })
            return try connection.opening(result).map(body)
        }

        /// Runs it once for each row of values, without waiting for an answer in between: for statements that return no
        /// rows. Outside a transaction, each group of some hundred rows is a transaction.
        /// - Returns: How many rows it inserted, changed or deleted.
        /// - Throws: The errors of ``ServerConnection/execute(_:)``, for the first row that fails.
        @discardableResult
        public func executeAll(_ rows: [[ServerParameter]]) throws(LockstepError) -> Int {
            var affected = 0
            var rest = rows[...]
            while !rest.isEmpty {
                // The answers to a group fit into the buffers, so that neither side waits for the other to read.
                let group = rest.prefix(Self.group)
                affected += try session.runPipelined(prepared: name, group)
                rest = rest[group.endIndex...]
            }
            return affected
        }

        private static let group = 256
    }
#endif
