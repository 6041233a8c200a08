package import SystemPackage

extension VerificationReport.Check {
    /// Every cell of a sealed column opens in its place, and blind indexes agree with the values.
    public static let cells: Self = Self("cells", failure: .tampered) { job in
        guard !job.verification.fieldKeys.isEmpty else { return nil }
        return .onSealedColumns { check in
            try check.run { done, total in
                job.coordinator.report(JobProgress(cells.phase, done, of: total, .steps, hasEnded: false))
            }
        }
    }
}

/// Every cell of the columns whose keys were given opens in its place, no cell is plaintext, and the columns'
/// blind indexes hold the tokens of their values.
struct CellsCheck: Sendable {
    let path: FilePath
    let key: SharedSecret<DatabaseKey>
    let options: ConnectionOptions
    /// How many cells of each column to check; nil for all.
    let sample: Int?
    /// The connections of a verification close one after the other.
    let closing: WaitCondition

    /// Rows per piece of work. Tests lower it to get many pieces from small tables.
    var pieceLength: Int64 = 20_000
    /// How many rows of each column are reported.
    private static let reportLimit = 10

    /// A part of a column's rows.
    private struct Piece {
        let column: SealedColumn
        let number: Int
        let shape: SealedTable
        /// Between these rowids; nil for all rows.
        let rows: ClosedRange<Int64>?
        let limit: Int?
    }

    /// A connection for one thread at a time.
    // Sendable by this proof: `Parallel` gives a tool to one thread at a time, and to none after it returns.
    private final class Tool: @unchecked Sendable {
        let connection: Connection

        init(_ connection: consuming Connection) { self.connection = connection }
    }

    /// Checks the database's registry of sealed columns, on a separate connection.
    /// - Parameter sets: The sets whose applied versions define which columns must be sealed.
    func checkRegistry(_ sets: [MigrationSet]) throws -> CheckResult {
        var tools = [try openTool()]
        defer { closing.locked { tools = [] } }
        return try RegistryCheck.run(tools[0].connection, sets)
    }

    func run(progress: @escaping (Int, Int) -> Void) throws -> CheckResult {
        var tools = [try openTool()]
        defer { closing.locked { tools = [] } }
        let pieces = try pieces(tools[0].connection)
        guard !pieces.isEmpty else { return ("no sealed columns of the given datasets", []) }
        for _ in 1..<max(min(Processors.count, pieces.count), 1) { tools.append(try openTool()) }
        let faults = CollectedFaults(limit: Self.reportLimit)
        try Parallel.run(pieces: pieces.count, with: tools) { piece, tool in
            try check(pieces[piece], tool.connection, faults)
        } progress: { done in
            progress(done, pieces.count)
        }
        let (count, findings) = faults.result
        let columns = Set(pieces.map(\.number)).count
        return (
            "\(counted(count, "cell")) of \(counted(columns, "column")) opened\(sample == nil ? "" : ", a sample")",
            findings
        )
    }

    private func openTool() throws -> Tool {
        Tool(try Connection.open(path, key: key.value, options: options))
    }

    private func pieces(_ connection: borrowing Connection) throws -> [Piece] {
        var pieces: [Piece] = []
        for (number, open) in connection.sealed?.named ?? [] where open.column.state != .plaintext {
            guard let shape = try SealedTable(open.column.table, connection) else { continue }
            guard let name = shape.rowIDName else {
                pieces.append(Piece(column: open.column, number: number, shape: shape, rows: nil, limit: sample))
                continue
            }
            let sql = SQL(
                verbatim:
                    "SELECT min(\(name)), max(\(name)), count(*) FROM main.\(shape.quotedName)")
            let span = try connection.prepare(sql).first { row in
                (try row[0] as Int64?, try row[1] as Int64?, try row[2] as Int64)
            }
            guard let (low, high, count) = span, let low, let high else { continue }
            let ranges = ranges(low, high, count)
            for range in ranges {
                pieces.append(
                    Piece(
                        column: open.column, number: number, shape: shape, rows: range,
                        limit: sample.map { max($0 / ranges.count, 1) }))
            }
        }
        return pieces
    }

    /// Splits the rowids into as many ranges as there are pieces of rows. The rowids can be unevenly
    /// distributed.
    private func ranges(
        _ low: Int64, _ high: Int64, _ count: Int64
    ) -> [ClosedRange<Int64>] {
        let number = max(count / pieceLength, 1)
        let span = UInt64(bitPattern: high &- low)
        let step = span / UInt64(number)
        return (0..<number).map { place in
            let start = low &+ Int64(bitPattern: UInt64(place) * step) &+ (place == 0 ? 0 : 1)
            let end = place == number - 1 ? high : low &+ Int64(bitPattern: UInt64(place + 1) * step)
            return start...max(start, end)
        }
    }

    private func check(_ piece: Piece, _ connection: borrowing Connection, _ faults: CollectedFaults) throws {
        let quote = SQLTokens.quote
        let key = piece.shape.boundColumns(piece.column.mode).map(\.name)
        let arguments =
            ([piece.column.name] + key + piece.column.indexes.map(\.name)).map(quote)
        var condition = ""
        var bounds: [Value] = []
        if let rows = piece.rows, let name = piece.shape.rowIDName {
            condition = "WHERE \(name) BETWEEN ? AND ?"
            bounds = [.integer(rows.lowerBound), .integer(rows.upperBound)]
        }
        if let limit = piece.limit { condition += " LIMIT \(limit)" }
        let row = piece.shape.rowIDName ?? "NULL"
        guard let capability = connection.sealed?.capability.literal(for: piece.number) else {
            return
        }
        var call = "lockstep_check(\(capability), \(arguments.joined(separator: ", ")))"
        // A token needs the whole value.
        let large = piece.column.indexes.isEmpty ? LargeCells(piece.shape, piece.column.name) : nil
        if let large { call = "CASE WHEN \(large.condition) THEN 0 ELSE \(call) END" }
        let statement = try connection.prepare(
            SQL(
                verbatim: """
                    SELECT \(row), \(call)
                    FROM main.\(piece.shape.quotedName) \(condition)
                    """))
        try statement.bind(values: bounds)
        var count = 0
        try statement.forEach { row in
            count += 1
            guard let code: Int64 = try row[1] else { return }
            var fault = SealedColumnAccess.Fault(rawValue: code)
            if code == 0, let large { fault = try Self.fault(large, row[0], connection) }
            if let fault { faults.add(fault, of: piece.column, in: try row[0]) }
        }
        faults.count(count)
    }

    /// The fault of a cell that is opened as a stream.
    private static func fault(
        _ large: LargeCells, _ row: Int64, _ connection: borrowing Connection
    ) throws -> SealedColumnAccess.Fault? {
        let place = try SealedPlace(large.place(row), connection)
        do {
            try SealedContent(place, on: connection).check()
            return nil
        } catch let error as LockstepError {
            guard let fault = SealedColumnAccess.Fault(error) else { throw error }
            let prefix = try large.prefix(row, connection)
            let isOther = prefix.map(place.column.cipher.hasOtherBinding) == true
            return fault == .notAuthentic && isOther ? .otherBinding : fault
        }
    }
}

/// The check of cells alone, for benchmarks.
package struct CellVerification {
    private let check: CellsCheck

    package init(
        _ path: FilePath, key: consuming DatabaseKey, keys: [FieldKeys], cacheBytes: Int
    ) {
        var options = ConnectionOptions()
        options.isQueryOnly = true
        options.cacheBytes = cacheBytes
        options.addition = SealedFields(keys, hasViews: false)
        check = CellsCheck(path: path, key: SharedSecret(key), options: options, sample: nil, closing: WaitCondition())
    }

    /// The number of failures.
    package func run() throws -> Int {
        try check.run { _, _ in }.findings.count(where: \.isFailure)
    }
}
