/// Refuses to seal a column if that would leak its values or break the schema.
enum ProtectionChecks {
    /// - Throws: ``LockstepError/Code/misuse`` with the obstacle and its remedy.
    static func requireSealable(
        _ column: String, _ mode: SealedColumn.Mode, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        let title = "\(shape.name).\(column)"
        guard let found = shape.column(column) else {
            throw LockstepError(.misuse, "there is no column \(title) to seal", hint: "check its name")
        }
        guard !found.isGenerated else {
            throw refusal(title, "it is computed from other columns", "seal those columns")
        }
        guard found.keyPosition == 0 else {
            throw refusal(
                title, "it is part of the primary key",
                "give the table a surrogate key, and store the value in another column")
        }
        guard !mode.bindsToRow || shape.key != .none else {
            throw refusal(
                title, "its table has no INTEGER PRIMARY KEY and no primary key that is NOT NULL",
                "rebuild the table with such a key: cells are sealed to their row")
        }
        guard !shape.isStrict || ["blob", "any"].contains(found.type.asciiLowercased) else {
            throw refusal(
                title, "its table is STRICT, and \(found.type) does not accept a BLOB",
                "rebuild the table with the column declared BLOB or ANY")
        }
        for expression in expressions(of: shape) where expression.mentions(SQLName(column)) {
            throw refusal(
                title, "a CHECK or a generated column of its table uses it",
                "rebuild the table without it: it would see cells")
        }
        try requireNoIndex(found, title, shape, connection)
        try requireNoReference(found, title, shape, connection)
        try requireNoTrigger(column, title, shape, connection)
    }

    private static func refusal(_ title: String, _ why: String, _ hint: String) -> LockstepError {
        LockstepError(.misuse, "\(title) cannot be sealed: \(why)", hint: hint)
    }

    /// The expressions in parentheses after CHECK and AS.
    private static func expressions(of shape: SealedTable) -> [SQLCursor] {
        var cursor = SQLCursor(shape.sql)
        var expressions: [SQLCursor] = []
        while !cursor.isAtEnd {
            if cursor.take("check") || cursor.take("as") {
                if let inner = try? cursor.group() { expressions.append(SQLCursor(inner)) }
            } else {
                _ = try? cursor.next()
            }
        }
        return expressions
    }

    private static func requireNoIndex(
        _ column: SealedTable.Column, _ title: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        let indexes = try connection.query(
            """
            SELECT l.name, l.origin, s.sql,
                EXISTS (SELECT 1 FROM pragma_index_info(l.name, 'main') AS i
                    WHERE lower(i.name) = lower(?2))
            FROM pragma_index_list(?1, 'main') AS l
            LEFT JOIN main.sqlite_schema AS s ON s.type = 'index' AND s.name = l.name
            """, shape.name, column.name, as: (String, String, String?, Bool).self)
        for (name, origin, sql, isMember) in indexes {
            // Only the index's SQL shows its expressions and the condition of a partial index.
            let inExpression = sql.map { SQLCursor(indexedPart(of: $0)).mentions(SQLName(column.name)) } ?? false
            guard isMember || inExpression else { continue }
            throw origin == "c"
                ? refusal(
                    title, "the index \(name) contains its values",
                    "drop the index first; a blind index can find sealed values")
                : refusal(
                    title, "its table declares its values unique and keeps them in an index",
                    "rebuild the table without UNIQUE; a blind index of 128 bits can be unique")
        }
    }

    /// The part of CREATE INDEX after the table's name.
    private static func indexedPart(of sql: String) -> String {
        guard let open = sql.utf8.firstIndex(of: UInt8(ascii: "(")) else { return sql }
        return String(sql[open...])
    }

    private static func requireNoReference(
        _ column: SealedTable.Column, _ title: String, _ shape: SealedTable, _ connection: borrowing Connection
    ) throws {
        let isReference = try connection.value(
            """
            SELECT EXISTS (SELECT 1 FROM main.sqlite_schema AS s, pragma_foreign_key_list(s.name, 'main') AS f
                WHERE s.type = 'table' AND (
                    (lower(s.name) = lower(?1) AND lower(f."from") = lower(?2))
                    OR (lower(f."table") = lower(?1) AND lower(f."to") = lower(?2))))
            """, shape.name, column.name, as: Bool.self)
        guard isReference != true else {
            throw refusal(
                title, "a foreign key uses it", "let the foreign key use a surrogate key"
            )
        }
    }

    private static func requireNoTrigger(
        _ column: String, _ title: String, _ shape: SealedTable,
        _ connection: borrowing Connection
    ) throws {
        let triggers = try connection.query(
            """
            SELECT name, sql FROM main.sqlite_schema
            WHERE type = 'trigger' AND substr(name, 1, ?) <> ?
            """, EngineTables.guardPrefix.utf8.count, EngineTables.guardPrefix, as: (String, String).self)
        for (name, sql) in triggers where [column, shape.name].allSatisfy({ SQLCursor(sql).mentions(SQLName($0)) }) {
            throw refusal(
                title, "the trigger \(name) uses it, and would see cells",
                "drop the trigger first, and delete the values that it has copied; create it again afterwards "
                    + "if it can work with cells"
            )
        }
    }
}
