internal import Lockstep

/// Every cell of the datasets whose keys were given opens in its place, and blind indexes hold the tokens of the
/// values.
struct ServerCellsCheck {
    /// How many rows of each table are looked at; nil for all.
    let sample: Int?

    /// How many faults are named.
    private static let limit = 10

    func run(
        _ connection: borrowing ServerConnection, _ progress: JobProgress.Handler
    ) throws -> CheckResult {
        guard let fields = connection.fields, !fields.tables.isEmpty else {
            throw NotAsked(reason: "no keys of a dataset with sealed columns were given")
        }
        var findings: [VerificationReport.Finding] = []
        var (count, faults) = (0, 0)
        for table in fields.tables.values.sorted(by: {
            ExactText($0.shape.name) < ExactText($1.shape.name)
        }) {
            let columns = fields.columns(of: table)
            let reader = RowsOfCells(table, columns)
            var rows = 0
            try reader.read(sample, connection) { key, values in
                for (column, value) in zip(columns, values) {
                    if value.cell != .null { count += 1 }
                    do {
                        try value.check(column, key)
                    } catch let error as LockstepError {
                        faults += 1
                        if faults <= Self.limit { findings.append(.failure(error.message)) }
                    }
                }
                rows += 1
                if rows.isMultiple(of: 1024) {
                    try JobProgress(VerificationReport.Check.cells.phase, rows, .rows).report(to: progress)
                }
            }
        }
        if faults > Self.limit {
            findings.append(.failure("\(faults - Self.limit) more cells do not open"))
        }
        let columns = fields.columns.count
        return (
            "\(counted(count, "cell")) of \(counted(columns, "column")) opened\(sample == nil ? "" : ", a sample")",
            findings
        )
    }
}

/// The cells of a table with the keys of their rows and the tokens beside them, as a stream.
private struct RowsOfCells {
    struct Content {
        let cell: Value
        let tokens: [Value]

        func check(_ column: ServerColumn, _ key: [Value]) throws {
            guard cell != .null else {
                guard tokens.allSatisfy({ $0 == .null }) else { throw wrongTokens(column) }
                return
            }
            guard case .blob(let cell) = cell else {
                throw RegistryRecords.forged(
                    "names \(column.column.title), which holds no bytes")
            }
            let value = try column.open(cell, key)
            guard try column.tokens(value).map(\.token) == tokens else {
                throw wrongTokens(column)
            }
        }

        private func wrongTokens(_ column: ServerColumn) -> LockstepError {
            LockstepError(
                .cellForged,
                "a row of \(column.table.shape.name) has tokens of \(column.column.title) that are not those of its value"
            )
        }
    }

    private let table: ServerTable
    private let columns: [ServerColumn]
    /// The names of what is read: the key's columns, then each sealed column and its tokens.
    private let names: [String]
    private let crossings: [TypeCrossing]

    init(_ table: ServerTable, _ columns: [ServerColumn]) {
        (self.table, self.columns) = (table, columns)
        names =
            table.shape.key.columns.map(\.name) + columns.flatMap { [$0.column.name] + $0.column.indexes.map(\.name) }
        crossings = names.map { name in
            table.detail(name).flatMap { TypeCrossing($0.type) } ?? .bytes
        }
    }

    func read(
        _ sample: Int?, _ connection: borrowing ServerConnection,
        _ body: ([Value], [Content]) throws -> Void
    ) throws {
        let list = names.map { SQLTokens.quote(table.shape.column($0)?.name ?? $0) }
        // Rows of random pages; without a sample all of them.
        let limit = sample.map { " ORDER BY pg_catalog.random() LIMIT \($0)" } ?? ""
        var reader = BinaryReader()
        let width = table.shape.key.columns.count
        try connection.copyOut(
            ServerSQL(
                verbatim:
                    "COPY (SELECT \(list.joined(separator: ", ")) FROM \(table.quotedName)\(limit)) TO STDOUT (FORMAT binary)"
            )
        ) { piece in
            try reader.take(piece) { bytes, places in
                guard places.count == names.count else { throw BinaryReader.malformed }
                var values: [Value] = []
                for (place, crossing) in zip(places, crossings) {
                    values.append(try place.map { try crossing.value(bytes[$0]) } ?? .null)
                }
                var rest = values[width...]
                var contents: [Content] = []
                for column in columns {
                    let cell = rest.popFirst() ?? .null
                    let tokens = Array(rest.prefix(column.column.indexes.count))
                    rest = rest.dropFirst(tokens.count)
                    contents.append(Content(cell: cell, tokens: tokens))
                }
                try body(Array(values.prefix(width)), contents)
            }
        }
        try reader.requireEnd()
    }
}
