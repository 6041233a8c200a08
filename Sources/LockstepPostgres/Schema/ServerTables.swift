internal import Lockstep

/// The engine's tables in a schema of a server, which anyone who can write the database can have made or filled.
struct ServerTables: TableStore, ~Copyable {
    private let schema: String
    private let connection: ServerConnection
    /// What the schema has, if that is known.
    private let kinds: [String: EngineTable.Kind]?  // exact: names of the source

    // exact: names of the source
    /// - Parameter kinds: What the schema has, if that is known.
    init(_ schema: String, _ connection: borrowing ServerConnection, _ kinds: [String: EngineTable.Kind]? = nil) {
        (self.schema, self.kinds) = (schema, kinds)
        self.connection = ServerConnection(connection.session)
    }

    private func place(_ table: StoredTable) -> String { "\(SQLTokens.quote(schema)).\(SQLTokens.quote(table.name))" }

    /// A view would run its maker's code.
    func has(_ table: StoredTable) throws -> Bool {
        let kind =
            if let kinds { kinds[table.name] } else {
                try EngineTable.kind(table.name, in: schema, connection)
            }
        guard let kind else { return false }
        guard kind == .table else { throw table.invalid("an invalid kind of object") }
        return true
    }

    /// No table of the engine has more rows.
    private static let limit = 65_536

    func rows(of table: StoredTable, with first: Value?) throws -> [StoredRow]? {
        guard try has(table) else { return nil }
        let condition = first == nil ? "" : " WHERE \(table.columns[0].matches(1))"
        let sql = """
            SELECT \(StoredTable.list(table.columns.map(\.name))) FROM \(place(table))\(condition)
            ORDER BY \(StoredTable.list(table.order)) LIMIT \(Self.limit)
            """
        let found: [StoredRow]
        do {
            let result = try connection.session.run(ServerSQL(sql, first.map { [$0.serverParameter] } ?? []))
            found = try (0..<result.rowCount).map { row in try read(result, row, of: table) }
        } catch let error as LockstepError
            where error.code == .decodeMismatch || ["42703", "42883", "42P01"].contains(error.context.sqlState)
        {
            throw table.invalid("a value of the wrong type")
        }
        guard found.count < Self.limit else { throw table.invalid("more rows than any that Lockstep has written") }
        return found
    }

    private func read(_ result: ServerResult, _ row: Int, of table: StoredTable) throws -> StoredRow {
        var values: [Value] = []
        for (index, column) in table.columns.enumerated() {
            // A text can be a number for another type of column.
            guard column.holds(result.type(index)) else { throw table.invalid("a value of the wrong type") }
            values.append(try result.value(row, index))
        }
        return StoredRow(table, values)
    }

    func make(_ table: StoredTable) throws {
        guard try !has(table) else { return }
        let columns = table.columns.map { column in
            "\(SQLTokens.quote(column.name)) \(column.type)\(column.isOptional ? "" : " NOT NULL")"
        }
        let lines = (columns + table.constraints).joined(separator: ", ")
        try connection.execute("CREATE TABLE \(verbatim: place(table)) (\(verbatim: lines))")
    }

    func insert(_ values: [Value], into table: StoredTable) throws {
        let (names, values) = table.filled(values)
        let places = values.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
        try connection.execute(
            ServerSQL(
                "INSERT INTO \(place(table)) (\(StoredTable.list(names))) VALUES (\(places))",
                values.map(\.serverParameter)))
    }

    @discardableResult
    func delete(from table: StoredTable, where values: [(column: String, value: Value)]) throws -> Int {
        let conditions = values.enumerated().map { place, one in
            // exact: names of the source
            table.columns.first { $0.name == one.column }?.matches(place + 1) ?? "false"
        }
        return try connection.execute(
            ServerSQL(
                "DELETE FROM \(place(table)) WHERE \(conditions.joined(separator: " AND "))",
                values.map(\.value.serverParameter)))
    }
}

extension StoredTable.Column {
    fileprivate var type: String {
        switch kind {
        case .integer: "bigint"
        case .text, .anything: "text COLLATE \"C\""
        case .bytes: "bytea"
        case .flag: "boolean"
        }
    }

    /// The condition that the column has the value of a parameter.
    fileprivate func matches(_ place: Int) -> String {
        let cast =
            switch kind {
            case .integer: "int8"
            case .text, .anything: "text"
            case .bytes: "bytea"
            case .flag: "bool"
            }
        return "\(SQLTokens.quote(name)) OPERATOR(pg_catalog.=) $\(place)::pg_catalog.\(cast)"
    }

    /// Whether values of a type are of this column.
    fileprivate func holds(_ type: UInt32) -> Bool {
        switch kind {
        case .integer: ServerType.isInteger(type)
        case .text, .anything: ServerType.text == type
        case .bytes: ServerType.bytea == type
        case .flag: ServerType.bool == type
        }
    }
}
