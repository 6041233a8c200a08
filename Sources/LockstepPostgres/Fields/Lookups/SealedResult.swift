internal import Lockstep

/// A result whose sealed columns are open.
///
/// The server says from which column of which table each column of the result came, and the cell proves it: it opens in
/// no other column, and in no other row. A column that the statement says to be sealed opens, or is an error: whatever
/// stands before its table on the server has no say in it. What the statement does not name is what the server answers,
/// bytes that look like a cell included.
struct SealedResult {
    let result: ServerResult
    /// The numbers of the rows that count.
    private(set) var rows: [Int] = []
    /// The values of sealed columns, by row and column; empty if no column is sealed.
    private var opened: [[Value?]] = []
    /// Where the sealed columns are; nil without keys.
    private(set) var places: Places?

    /// A result as the server has it.
    init(plain result: ServerResult) {
        self.result = result
        rows = Array(0..<result.rowCount)
    }

    /// - Throws: `LockstepError.Code.misuse` for a sealed column without its row's key, and for a look-up whose column
    ///   is not in the result; `LockstepError.Code.tampered` for another relation in the place of a table with sealed
    ///   columns; `LockstepError.Code.cellForged`, `LockstepError.Code.cellMalformed`,
    ///   `LockstepError.Code.keyUnavailable`; the errors of ``ServerFields/look(_:)``.
    init(
        _ result: ServerResult, _ fields: ServerFields, _ sql: ServerSQL, _ connection: borrowing ServerConnection
    ) throws {
        let lookups = sql.lookups
        try self.init(result, fields, connection, sql.text, nil) { places throws(LockstepError) in
            var checks: [ServerSQL.Lookup.Check] = []
            for lookup in lookups {
                let column = try fields.column(lookup.title)
                checks.append(try lookup.check(column, lookup.value ?? .null, places))
            }
            return checks
        }
    }

    /// - Parameters:
    ///   - text: The statement.
    ///   - known: Where results like this one have sealed columns; nil to find out.
    ///   - checks: What rows must hold to count.
    init(
        _ result: ServerResult, _ fields: ServerFields,
        _ connection: borrowing ServerConnection,
        _ text: String, _ known: Places?, checks: (Places) throws(LockstepError) -> [ServerSQL.Lookup.Check]
    ) throws {
        self.result = result
        var places = try known ?? Places(result, fields)
        if try places.stranger(result, fields, text, connection) != nil {
            // The table may have been made again since the registry was read.
            try fields.refresh(connection)
            places = try Places(result, fields)
            if let error = try places.stranger(result, fields, text, connection) { throw error }
        }
        self.places = places
        let checks = try checks(places)
        guard !places.sealed.isEmpty else {
            rows = Array(0..<result.rowCount)
            return
        }
        for row in 0..<result.rowCount {
            var values = [Value?](repeating: nil, count: result.columnCount)
            for place in places.sealed {
                values[place.number] = try Self.value(result, row, place)
            }
            guard try checks.allSatisfy({ try $0.holds(values[$0.place] ?? .null) }) else {
                continue
            }
            rows.append(row)
            opened.append(values)
        }
    }

    private static func value(
        _ result: ServerResult, _ row: Int, _ place: Places.Sealed
    ) throws(LockstepError) -> Value {
        guard !result.isNull(row, place.number) else { return .null }
        guard case .blob(let cell) = try result.value(row, place.number) else {
            throw RegistryRecords.forged(
                "names the column \(place.column.column.title), which is not of the type bytea")
        }
        var key: [Value] = []
        for column in place.key { key.append(try result.value(row, column)) }
        return try place.column.open(cell, key)
    }

    func map<Output>(_ body: (ServerRow) throws -> Output) throws -> [Output] {
        try rows.enumerated().map { index, number in
            try body(
                ServerRow(
                    result: result, number: number,
                    opened: opened.isEmpty ? [] : opened[index]))
        }
    }

    /// Where a result has sealed columns, and the keys of their rows.
    struct Places {
        struct Sealed {
            /// The number of the result's column.
            let number: Int
            let column: ServerColumn
            /// The numbers of the result's columns that hold the row's key, in the key's order.
            let key: [Int]
        }

        private(set) var sealed: [Sealed] = []
        private let origins: [ResultOrigin?]

        /// - Throws: `LockstepError.Code.misuse` for a sealed column without its row's key.
        init(_ result: ServerResult, _ fields: ServerFields) throws(LockstepError) {
            origins = (0..<result.columnCount).map { result.origin($0) }
            for (number, origin) in origins.enumerated() {
                guard let origin, let column = fields.columns[origin] else { continue }
                sealed.append(
                    Sealed(number: number, column: column, key: try key(of: column)))
            }
        }

        /// Whether a result has the same columns.
        func fit(_ result: ServerResult) -> Bool {
            result.columnCount == origins.count && origins.indices.allSatisfy { result.origin($0) == origins[$0] }
        }

        private func key(of column: ServerColumn) throws(LockstepError) -> [Int] {
            guard column.column.mode.bindsToRow else { return [] }
            var key: [Int] = []
            for part in column.table.shape.key.columns {
                guard let detail = column.table.detail(part.name) else { continue }
                let origin = ResultOrigin(table: column.table.oid, column: detail.number)
                let found = origins.indices.filter { origins[$0] == origin }
                guard let place = found.first else {
                    throw LockstepError(
                        .misuse, "\(column.column.title) opens with its row's key alone, which is not in the result",
                        hint:
                            "add \(column.table.shape.name).\(part.name) to the columns that you select",
                        context: column.column.context)
                }
                guard found.count == 1 else {
                    throw LockstepError(
                        .misuse,
                        "the result has \(column.table.shape.name).\(part.name) twice, so whose cell \(column.column.title) is remains open",
                        hint:
                            "select the sealed columns of each row with a statement of its own",
                        context: column.column.context)
                }
                key.append(place)
            }
            return key
        }

        /// The place of a column; nil if it is not in the result exactly once.
        func place(of column: ServerColumn) -> Int? {
            let found = sealed.filter { $0.column === column }
            return found.count == 1 ? found[0].number : nil
        }

        /// The error for a column that the statement says to be sealed, and that the server answers from elsewhere; nil
        /// if there is none.
        func stranger(
            _ result: ServerResult, _ fields: ServerFields, _ text: String, _ connection: borrowing ServerConnection
        ) throws -> LockstepError? {
            let mentions = fields.mentions(in: text)
            guard !mentions.isEmpty else { return nil }
            let known = Set(sealed.map(\.number))
            for column in origins.indices where !known.contains(column) && mentions.expectsSealed(column, result) {
                guard let origin = origins[column], fields.tables[origin.table] == nil else {
                    return Self.expression(result.name(column), fields)
                }
                let relation = try Self.relation(origin.table, connection)
                guard let relation, fields.table(relation) == nil, mentions.mentions(relation) else {
                    return Self.other(result.name(column))
                }
            }
            return nil
        }

        /// The name of a relation by its number; nil if the server has none.
        private static func relation(_ number: UInt32, _ connection: borrowing ServerConnection) throws -> String? {
            let found = try connection.session.run(
                """
                SELECT c.relname::text FROM pg_catalog.pg_class AS c
                WHERE c.oid OPERATOR(pg_catalog.=) \(Int64(number))::oid
                """)
            guard case .text(let name) = try found.value(0, 0) else { return nil }
            return name
        }

        private static func expression(_ name: String, _ fields: ServerFields) -> LockstepError {
            let titles = fields.columns.values.map(\.column.title).sortedByBytes()
            return LockstepError(
                .misuse,
                "the column \(name) of the result is that of a sealed column by its name, and comes from an expression or another column",
                hint:
                    "select the sealed column itself, with its row's key, from its table (\(titles.joined(separator: ", "))), or give the result's column another name"
            )
        }

        private static func other(_ name: String) -> LockstepError {
            LockstepError(
                .tampered,
                "the server answers \(name), which is sealed, from a relation that is not its table",
                hint:
                    "somebody put a view or a table in its place: look for one of the same name in other schemas, pg_catalog among them",
                context: .init(column: name))
        }
    }
}
