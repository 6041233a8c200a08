import Lockstep
import LockstepPostgres

extension Query {
    /// The same for a server.
    func runOnServer(_ limits: Limits) throws {
        let source = CredentialSource(access.credentials)
        let fields = try access.fields.open(access.keyrings, of: nil, source)
        let connection = try access.server.connect(keys: fields.map(\.keys))
        Interruption.expect()
        do {
            try read(connection, until: limits.deadline)
        } catch let error as LockstepError where error.context.sqlState == Self.cancelled {
            try Interruption.check()
            throw LockstepError(
                .limitExceeded, "the statement takes longer than it may",
                context: error.context)
        }
    }

    /// The SQLSTATE of a statement that the server has ended.
    private static let cancelled = "57014"

    private func read(_ connection: borrowing ServerConnection, until deadline: ContinuousClock.Instant?) throws {
        let timeout = deadline.map { ContinuousClock.now.duration(to: $0) }
        switch output.format {
        case .json:
            var separator = ""
            try connection.read(sql, timeout: timeout) { names in
                try Output.part("{\"columns\":\(Output.encoded(names)),\"rows\":[")
            } row: { values in
                try Interruption.check()
                try Output.part(separator + Output.encoded(values.map(JSONValue.init(value:))))
                separator = ","
            }
            Output.line("]}")
        case .text:
            var table: TableWriter?
            try connection.read(sql, timeout: timeout) { names in
                table = TableWriter(header: names.map(Output.printable))
            } row: { values in
                try Interruption.check()
                table?.add(values.map(Self.text))
            }
            table?.finish()
        }
    }
}
