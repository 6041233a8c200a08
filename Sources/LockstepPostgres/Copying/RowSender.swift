internal import Lockstep

/// Sends the rows of a file's tables to a server.
struct RowSender {
    let state: CopyState
    /// How many bytes of rows one transaction takes.
    let chunk: Int
    /// Called with the table and the number of its rows that are there.
    let progress: (String, Int) throws -> Void
    /// Called before each step: for tests that end there.
    let observe: (ServerCopy.Step) throws -> Void

    /// How many bytes are sent at once: few, since the server waits until it has all of them.
    private static let piece = 1 << 16

    func send(
        _ group: CopyPlan.Group, from file: borrowing Connection,
        to server: borrowing ServerConnection, _ recorded: [ExactText: (rows: Int, key: [UInt8])]
    ) throws {
        guard !group.isChunked else {
            let table = group.tables[0]
            return try sendChunks(of: table, file, server, recorded[ExactText(table.name)])
        }
        guard group.tables.contains(where: { recorded[ExactText($0.name)] == nil }) else { return }
        try server.transaction { server in
            let keys = group.isCycle ? try foreignKeys(of: group, server) : []
            for key in keys { try server.execute(ServerSQL(verbatim: key.deferring)) }
            for table in group.tables {
                let rows = try sendAll(of: table, file, server)
                try state.advance(table.name, rows: rows, to: [], after: nil, server)
                try progress(table.name, rows)
            }
            if !keys.isEmpty {
                try server.execute("SET CONSTRAINTS ALL IMMEDIATE")
                for key in keys { try server.execute(ServerSQL(verbatim: key.restoring)) }
            }
            try observe(.committing)
        }
    }

    private func sendAll(
        of table: CopyTable, _ file: borrowing Connection, _ server: borrowing ServerConnection
    ) throws -> Int {
        let switches = try triggers(table, server)
        if let switches { try server.execute(ServerSQL(verbatim: switches.off)) }
        var count = 0
        var rows = BinaryRows()
        try observe(.sending)
        try server.copyIn(ServerSQL(verbatim: table.copyIn)) { stream in
            rows.append(BinaryRows.header)
            try file.prepare(SQL(verbatim: table.fileSelection())).forEach { row in
                try Self.append(row, of: table, to: &rows)
                count += 1
                guard rows.bytes.count >= Self.piece else { return }
                try stream.write(rows.bytes)
                rows.removeAll()
            }
            rows.append(BinaryRows.end)
            try stream.write(rows.bytes)
        }
        if let switches { try server.execute(ServerSQL(verbatim: switches.on)) }
        return count
    }

    // MARK: Chunks

    private func sendChunks(
        of table: CopyTable, _ file: borrowing Connection, _ server: borrowing ServerConnection,
        _ recorded: (rows: Int, key: [UInt8])?
    ) throws {
        let start = recorded?.key ?? []
        var writer = ChunkWriter(
            table: table, session: server.session, switches: try triggers(table, server),
            recorded: recorded, observe: observe)
        defer { writer.abandon() }
        let text = table.fileSelection(isContinued: !start.isEmpty)
        let statement = try file.prepare(SQL(verbatim: text))
        if !start.isEmpty { try statement.bind(values: CopyState.decode(start)) }
        try statement.forEach { row in
            if !writer.isOpen { try writer.open() }
            try Self.append(row, of: table, to: &writer.rows)
            writer.count += 1
            if writer.rows.bytes.count >= min(Self.piece, chunk) { try writer.flush() }
            guard writer.sent >= chunk else { return }
            let key = try table.key.map { try row[$0] as Value }
            try writer.close(CopyState.encode(key), state, server)
            try progress(table.name, writer.total)
        }
        guard writer.isOpen || recorded == nil else { return }
        if !writer.isOpen { try writer.open() }
        let last = try lastKey(table, file)
        try writer.close(CopyState.encode(last), state, server)
        try progress(table.name, writer.total)
    }

    private func lastKey(
        _ table: CopyTable, _ file: borrowing Connection
    ) throws -> [Value] {
        let names = table.key.map { SQLTokens.quote(table.columns[$0].fileName) }
        let order = names.map { "\($0) COLLATE BINARY DESC" }.joined(separator: ", ")
        let sql = "SELECT \(names.joined(separator: ", ")) FROM main.\(table.file.quotedName) ORDER BY \(order) LIMIT 1"
        return try file.prepare(SQL(verbatim: sql)).first { row in
            try names.indices.map { try row[$0] as Value }
        } ?? []
    }

    private static func append(
        _ row: borrowing Row, of table: CopyTable, to rows: inout BinaryRows
    ) throws {
        rows.beginRow(table.columns.count)
        for (place, column) in table.columns.enumerated() {
            do {
                try column.crossing.append(row.stored(place), to: &rows)
            } catch let obstacle as TypeCrossing.Obstacle {
                throw table.obstacle(obstacle, column, at: "")
            }
        }
    }

    // MARK: What the set made

    /// A foreign key that holds again at the end of the transaction.
    private struct ForeignKey {
        let deferring: String
        let restoring: String
    }

    private func foreignKeys(
        of group: CopyPlan.Group, _ server: borrowing ServerConnection
    ) throws -> [ForeignKey] {
        var keys: [ForeignKey] = []
        for table in group.tables {
            keys += try server.query(
                """
                SELECT conname::text, condeferrable, condeferred FROM pg_catalog.pg_constraint
                WHERE conrelid OPERATOR(pg_catalog.=) \(Int64(table.server.oid))::oid
                    AND contype OPERATOR(pg_catalog.=) 'f'
                """
            ) { row in
                let change = "ALTER TABLE \(table.server.quotedName) ALTER CONSTRAINT \(SQLTokens.quote(try row[0]))"
                let isDeferrable: Bool = try row[1]
                let isDeferred: Bool = try row[2]
                return ForeignKey(
                    deferring: "\(change) DEFERRABLE INITIALLY DEFERRED",
                    restoring: isDeferrable
                        ? "\(change) DEFERRABLE INITIALLY \(isDeferred ? "DEFERRED" : "IMMEDIATE")"
                        : "\(change) NOT DEFERRABLE")
            }
        }
        return keys
    }

    /// What switches the triggers of a table off and on again; nil for a table without any. They have worked already
    /// where the rows come from.
    private func triggers(
        _ table: CopyTable, _ server: borrowing ServerConnection
    ) throws -> (off: String, on: String)? {
        let found = try server.query(
            """
            SELECT tgname::text, tgenabled OPERATOR(pg_catalog.=) 'A' FROM pg_catalog.pg_trigger
            WHERE tgrelid OPERATOR(pg_catalog.=) \(Int64(table.server.oid))::oid AND NOT tgisinternal
                AND tgenabled OPERATOR(pg_catalog.=) ANY ('{O,A}'::"char"[])
                AND NOT pg_catalog.starts_with(tgname::text, \(EngineTable.prefix))
            ORDER BY 1
            """
        ) { (name: SQLTokens.quote(try $0[0] as String), isAlways: try $0[1] as Bool) }
        guard !found.isEmpty else { return nil }
        let change = "ALTER TABLE \(table.server.quotedName) "
        return (
            change + found.map { "DISABLE TRIGGER \($0.name)" }.joined(separator: ", "),
            change + found.map { "ENABLE \($0.isAlways ? "ALWAYS " : "")TRIGGER \($0.name)" }.joined(separator: ", ")
        )
    }
}
