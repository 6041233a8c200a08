extension SealingChange {
    /// A finished batch.
    struct Batch {
        /// The number of its rows.
        var rows = 0
        /// Whether it begins with the table's first row: another program that does the same can have ended a pass
        /// meanwhile.
        var isFirst = false
        let isLast: Bool
    }

    /// The rows that one transaction changes.
    struct Piece: Sendable {
        /// The last row of the previous piece; nil at the beginning.
        let start: Int64?
        let last: Int64
        let rows: Int
        /// The number of bytes in their BLOBs.
        let bytes: Int64
        /// Whether no rows follow.
        let isLast: Bool

        /// An SQL condition for these rows, with ``bounds`` as its values.
        func condition(_ rowID: String) -> String {
            "\(start == nil ? "" : "\(rowID) > ?2 AND ")\(rowID) <= ?1"
        }

        var bounds: [Value] { ([last] + (start.map { [$0] } ?? [])).map { .integer($0) } }
    }

    /// The maximum bytes of large values in one transaction, unless one value alone has more.
    private static let longestBatch: Int64 = 64 << 20

    /// Changes the next rows in the open transaction.
    /// - Parameter pass: Its prefetch might already have made the cells of these rows, and makes those of the following
    ///   rows meanwhile.
    func runBatch(
        _ keys: FieldKeys, _ connection: borrowing Connection, _ pass: SealingPass
    ) throws -> Batch {
        var registry = try knownRegistry(keys, connection)
        let sealed = try knownColumn(registry)
        guard try !isDoneByAnother(sealed) else { return Batch(isLast: true) }
        let shape = try shape(connection)
        let conversion = try conversion(sealed, shape, connection)
        guard let rowID = shape.rowIDName else {
            // Without a rowid there is no number to continue from, so all rows change at once.
            try connection.executeWithoutTriggers(
                conversion.update(needsChange(sealed, keys)), [])
            return Batch(rows: connection.changes, isFirst: true, isLast: true)
        }
        let made = try pass.ahead?.take(after: sealed.cursor, sealed, shape, connection)
        guard let piece = try made?.cells.piece ?? next(batch, after: sealed.cursor, rowID, shape, connection),
            let end = try pass.end(rowID, shape, connection)
        else { return Batch(isFirst: sealed.cursor == nil, isLast: true) }
        let isLast = piece.last >= end || (piece.isLast && made?.isOvertaken != true)
        if !isLast { try pass.ahead?.make(batch, after: piece.last, connection) }
        var rows = piece.rows
        if let made, let ahead = pass.ahead {
            let replacement = conversion.replacement(rowID, comparing: ahead.comparesCells)
            let written = try made.cells.write(replacement, connection)
            if made.isOvertaken || (written < made.cells.count && ahead.comparesCells) {
                try convert(piece, conversion, sealed, shape, rowID, keys, connection)
                rows = try count(piece, rowID, shape, connection)
            }
        } else {
            try convert(piece, conversion, sealed, shape, rowID, keys, connection)
        }
        try registry.advance(sealed.id, to: piece.last)
        try write(&registry, keys, connection)
        return Batch(rows: rows, isFirst: piece.start == nil, isLast: isLast)
    }

    private func count(
        _ piece: Piece, _ rowID: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws -> Int {
        let rows = try connection.prepare(
            SQL(
                verbatim:
                    "SELECT count(*) FROM main.\(shape.quotedName) WHERE \(piece.condition(rowID))"
            ))
        try rows.bind(values: piece.bounds)
        return try rows.first { row in try row[0] as Int } ?? 0
    }

    /// Changes all rows that still need it, in the open transaction.
    func convertRest(
        _ sealed: SealedColumn, _ shape: SealedTable, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws {
        let conversion = try conversion(sealed, shape, connection)
        guard let rowID = shape.rowIDName else {
            return try connection.executeWithoutTriggers(conversion.update(needsChange(sealed, keys)), [])
        }
        let all = Piece(start: nil, last: .max, rows: 0, bytes: 0, isLast: true)
        try convert(all, conversion, sealed, shape, rowID, keys, connection)
    }

    /// The next rows; nil if none remain. Others wait for a batch, and the log contains all of it, so a batch has fewer
    /// rows if their values are large.
    func next(
        _ count: Int, after start: Int64?, _ rowID: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws -> Piece? {
        guard var piece = try piece(count, start, rowID, shape, connection) else { return nil }
        while piece.rows > 1, piece.bytes > Self.longestBatch {
            guard let fewer = try self.piece(piece.rows / 2, start, rowID, shape, connection) else {
                break
            }
            piece = fewer
        }
        return piece
    }

    private func piece(
        _ count: Int, _ start: Int64?, _ rowID: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws -> Piece? {
        let condition = start == nil ? "" : "WHERE \(rowID) > ?2"
        let length = LargeCells(shape, column)?.length ?? "0"
        let range = try connection.prepare(
            SQL(
                verbatim: """
                    SELECT max(k), count(*), coalesce(sum(n), 0) FROM (
                        SELECT \(rowID) AS k, \(length) AS n FROM main.\(shape.quotedName) \(condition)
                        ORDER BY k LIMIT ?1)
                    """))
        try range.bind(values: [.integer(Int64(count))] + (start.map { [.integer($0)] } ?? []))
        return try range.first { row in
            let rows: Int = try row[1]
            guard rows > 0 else { return nil }
            return Piece(
                start: start, last: try row[0], rows: rows, bytes: try row[2],
                isLast: rows < count)
        } ?? nil
    }

    // MARK: Converting

    /// The changes to a row, in SQL.
    struct Conversion {
        fileprivate let table: String
        /// The columns that change, and an expression over the old row for each.
        fileprivate let changes: [(column: String, expression: String)]
        /// The columns whose values the expressions use: the changed one, then those of the row's key except the rowid.
        fileprivate let compared: [String]

        /// Changes the rows that meet a condition.
        func update(_ condition: String) -> SQL {
            let assignments = changes.map { "\($0.column) = \($0.expression)" }
            return SQL(
                verbatim:
                    "UPDATE main.\(table) SET \(assignments.joined(separator: ", ")) WHERE \(condition)"
            )
        }

        /// Selects the rowid, the changed columns' new values, and the compared columns' present ones, for the rows
        /// that meet a condition.
        func selection(_ rowID: String, _ condition: String) -> SQL {
            let expressions = [rowID] + changes.map(\.expression) + compared
            return SQL(
                verbatim:
                    "SELECT \(expressions.joined(separator: ", ")) FROM main.\(table) WHERE \(condition)"
            )
        }

        /// Updates a row with the values of ``selection(_:_:)`` if the compared columns still have those values; the
        /// rowid comes last.
        /// - Parameter comparing: False only in tests, which then lose values.
        func replacement(_ rowID: String, comparing: Bool) -> SQL {
            let assignments = changes.indices.map { "\(changes[$0].column) = ?\($0 + 1)" }
            let first = changes.count + 1
            var conditions = ["\(rowID) = ?\(first + compared.count)"]
            if comparing {
                conditions += compared.indices.map { Self.equality(compared[$0], "?\(first + $0)") }
            }
            return SQL(
                verbatim:
                    "UPDATE main.\(table) SET \(assignments.joined(separator: ", ")) WHERE \(conditions.joined(separator: " AND "))"
            )
        }

        /// Whether a column has exactly this value: of the same type, without the column's affinity and collation,
        /// which equate values that differ. The two zeros of REAL are equal to SQL and differ in their bits, so they
        /// are never the same here.
        private static func equality(_ column: String, _ value: String) -> String {
            "typeof(\(column)) = typeof(\(value)) AND (+\(column)) COLLATE BINARY IS \(value)"
                + " AND NOT (typeof(\(column)) = 'real' AND (+\(column)) = 0)"
        }
    }

    /// - Parameter isLast: Whether no cell remains, also of values that have the form of cells.
    /// - Throws: ``LockstepError/Code/keyUnavailable`` if the connection does not have the column's keys.
    func conversion(
        _ sealed: SealedColumn, _ shape: SealedTable, _ connection: borrowing Connection, isLast: Bool = false
    ) throws -> Conversion {
        guard let session = connection.sealed, let number = session.number(titled: title) else {
            throw Self.keysMissing(title)
        }
        let capability = session.capability.literal(for: number)
        let name = SQLTokens.quote(column)
        let key = shape.boundColumns(sealed.mode).map { SQLTokens.quote($0.name) }
        let arguments = ([capability, name] + key).joined(separator: ", ")
        let function =
            switch goal {
            case .protect: "lockstep_seal"
            case .unprotect: isLast ? "lockstep_open_whole" : "lockstep_unseal"
            case .reseal: "lockstep_reseal"
            }
        var changes = [(column: name, expression: "\(function)(\(arguments))")]
        if case .protect = goal { changes += tokens(sealed, capability, of: name) }
        var compared = [name]
        if case .columns = shape.key { compared += key }
        return Conversion(table: shape.quotedName, changes: changes, compared: compared)
    }

    /// The columns of the tokens, and an expression over a value for each.
    private func tokens(
        _ sealed: SealedColumn, _ capability: String, of value: String
    ) -> [(column: String, expression: String)] {
        sealed.indexes.map {
            (
                SQLTokens.quote($0.name),
                "lockstep_token(\(capability), \($0.index.number), \(value))"
            )
        }
    }

    /// Computes the tokens of all rows for the column's identity, in the open transaction, which has just ended the
    /// change of its cells. A look-up reads the tokens of one owner, and a unique index compares them, so they all
    /// change at once.
    func renewTokens(_ sealed: SealedColumn, _ shape: SealedTable, _ connection: borrowing Connection) throws {
        guard !sealed.indexes.isEmpty else { return }
        guard let session = connection.sealed, let number = session.number(titled: title) else {
            throw Self.keysMissing(title)
        }
        let capability = session.capability.literal(for: number)
        let name = SQLTokens.quote(column)
        let key = shape.boundColumns(sealed.mode).map { SQLTokens.quote($0.name) }
        let value = "lockstep_open_whole(\(([capability, name] + key).joined(separator: ", ")))"
        let conversion = Conversion(
            table: shape.quotedName, changes: tokens(sealed, capability, of: value), compared: [])
        try connection.executeWithoutTriggers(conversion.update("\(name) IS NOT NULL"), [])
    }

    private func convert(
        _ piece: Piece, _ conversion: Conversion, _ sealed: SealedColumn, _ shape: SealedTable,
        _ rowID: String, _ keys: FieldKeys, _ connection: borrowing Connection
    ) throws {
        let range = "\(piece.condition(rowID)) AND "
        let condition = needsChange(sealed, keys)
        guard goal == .reseal, let large = LargeCells(shape, column) else {
            return try connection.executeWithoutTriggers(conversion.update(range + condition), piece.bounds)
        }
        try connection.executeWithoutTriggers(
            conversion.update("\(range)CASE WHEN \(large.condition) THEN 0 ELSE \(condition) END"), piece.bounds)
        for row in try large.rows(range, piece.bounds, connection) {
            guard let prefix = try large.prefix(row, connection),
                CellKeySearch.Wanted.old(sealed, keys).contains(prefix)
            else { continue }
            guard prefix.format == .chunked else {
                try connection.executeWithoutTriggers(conversion.update("\(rowID) = ?1"), [.integer(row)])
                continue
            }
            let place = try SealedPlace(large.place(row), connection)
            try SealedContent(place, .write, on: connection).reseal()
        }
    }
}
