internal import Lockstep

/// The chunks of one table: each is a transaction with rows and with the record of how far they go.
struct ChunkWriter {
    let table: CopyTable
    let session: ServerSession
    let switches: (off: String, on: String)?
    /// Called before each step: for tests that end there.
    let observe: (ServerCopy.Step) throws -> Void
    /// The rows that wait to be sent.
    var rows = BinaryRows()
    /// How many rows are in the open chunk.
    var count = 0
    /// How many of its bytes are sent.
    private(set) var sent = 0
    private(set) var isOpen = false
    /// How many rows of the table are there.
    private(set) var total: Int
    private var last: [UInt8]?

    init(
        table: CopyTable, session: ServerSession, switches: (off: String, on: String)?,
        recorded: (rows: Int, key: [UInt8])?,
        observe: @escaping (ServerCopy.Step) throws -> Void
    ) {
        (self.table, self.session, self.switches) = (table, session, switches)
        self.observe = observe
        (total, last) = (recorded?.rows ?? 0, recorded?.key)
    }

    mutating func open() throws {
        try observe(.beginning)
        try session.run("BEGIN")
        try session.run(Self.withoutWaiting)
        if let switches { try session.run(ServerSQL(verbatim: switches.off)) }
        try session.beginCopyIn(table.copyIn)
        (isOpen, count, sent) = (true, 0, 0)
        rows.removeAll()
        rows.append(BinaryRows.header)
    }

    /// A server that stops can then lose the last chunks, with the records of them: the copy goes on before them. The
    /// transaction that ends the copy waits for the disk, and the log is written in order.
    private static let withoutWaiting: ServerSQL = "SELECT pg_catalog.set_config('synchronous_commit', 'off', true)"

    /// Gives up the open chunk.
    func abandon() {
        guard isOpen else { return }
        _ = try? session.endCopyIn(because: "the client gave up")
        session.rollBack()
    }

    mutating func flush() throws {
        try observe(.sending)
        try session.putCopy(rows.bytes)
        sent += rows.bytes.count
        rows.removeAll()
    }

    /// Commits the rows, and that they go up to this key.
    mutating func close(
        _ key: [UInt8], _ state: CopyState, _ server: borrowing ServerConnection
    ) throws {
        rows.append(BinaryRows.end)
        try flush()
        let taken = try session.endCopyIn(to: table.server.shape.name)
        guard taken == count else {
            throw LockstepError(
                .copyDiffers, "the server took \(taken) of \(counted(count, "row")) of \(table.name)",
                hint: "something on the server leaves rows out: look for rules on the table",
                context: .init(table: table.name))
        }
        if let switches { try session.run(ServerSQL(verbatim: switches.on)) }
        try observe(.recording)
        try state.advance(table.name, rows: count, to: key, after: last, server)
        try observe(.committing)
        try session.commit()
        total += count
        (isOpen, last) = (false, key)
    }
}
