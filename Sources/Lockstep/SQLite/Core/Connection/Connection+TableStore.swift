extension Connection: TableStore {
    package func has(_ table: StoredTable) throws -> Bool { try EngineTables.exists(table.name, self) }

    package func rows(of table: StoredTable, with first: Value?) throws -> [StoredRow]? {
        guard try has(table) else { return nil }
        let names = table.columns.map { column in
            !column.isLater || EngineTables.has(column.name, in: table.name, self)
                ? SQLTokens.quote(column.name) : "NULL"
        }
        let condition: SQL = first.map { "WHERE \(name: table.columns[0].name) = \($0)" } ?? ""
        let sql: SQL = """
            SELECT \(verbatim: names.joined(separator: ", ")) FROM main.\(name: table.name) \(condition)
            ORDER BY \(verbatim: StoredTable.list(table.order))
            """
        do {
            return try query(sql) { row in
                var values: [Value] = []
                for column in table.columns.indices { values.append(try row[column]) }
                return StoredRow(table, values)
            }
        } catch let error as LockstepError where [.decodeMismatch, .sqlFailed].contains(error.code) {
            throw table.invalid("a value of the wrong type")
        }
    }

    package func make(_ table: StoredTable) throws {
        // A table with a number as its key begins with it.
        let isNumbered = table.key.count == 1 && table.columns[0].kind == .integer
        let columns = table.columns.enumerated().map { index, column in
            SQLTokens.quote(column.name) + column.kind.ofFiles
                + (isNumbered && index == 0 ? " PRIMARY KEY" : column.isOptional ? "" : " NOT NULL")
        }
        let lines = columns + table.constraints.dropFirst(isNumbered ? 1 : 0)
        try execute(
            """
            CREATE TABLE IF NOT EXISTS main.\(name: table.name) (
                \(verbatim: lines.joined(separator: ",\n    "))
            )\(verbatim: table.isWithoutRowID ? " WITHOUT ROWID" : "")
            """)
        for column in table.columns where column.isLater && !EngineTables.has(column.name, in: table.name, self) {
            try execute(
                "ALTER TABLE main.\(name: table.name) ADD COLUMN \(name: column.name)\(verbatim: column.kind.ofFiles)")
        }
    }

    package func insert(_ values: [Value], into table: StoredTable) throws {
        let (names, values) = table.filled(values)
        try execute(
            "INSERT INTO main.\(name: table.name) (\(verbatim: StoredTable.list(names))) VALUES \(list: values)")
    }

    @discardableResult
    package func delete(from table: StoredTable, where values: [(column: String, value: Value)]) throws -> Int {
        let condition = values.map { "\(SQLTokens.quote($0.column)) IS ?" }.joined(separator: " AND ")
        try execute(
            SQL(
                verbatim: "DELETE FROM main.\(SQLTokens.quote(table.name)) WHERE \(condition)",
                values: values.map(\.value)))
        return changes
    }
}

extension StoredTable.Kind {
    /// The type of a column, after its name.
    fileprivate var ofFiles: String {
        switch self {
        case .integer, .flag: " INTEGER"
        case .text: " TEXT"
        case .bytes: " BLOB"
        case .anything: ""
        }
    }
}
