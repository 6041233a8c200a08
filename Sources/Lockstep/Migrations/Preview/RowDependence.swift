/// Whether scripts can succeed or fail, or lose something, depending on the rows of a database.
struct RowDependence {
    /// The names in the statements that can, and in the triggers and views that these name.
    private var words: Set<SQLName> = []

    /// Whether one of the scripts does something that depends on rows of `connection`.
    static func exists(
        in scripts: [MigrationScript], _ connection: borrowing Connection
    ) throws -> Bool {
        // The copy of the schema has none of the engine's tables, whose definitions an edit could reach.
        if scripts.contains(where: { $0.text.asciiLowercased.contains("writable_schema") }) {
            return true
        }
        var dependence = RowDependence()
        for script in scripts { dependence.add(script) }
        guard !dependence.words.isEmpty else { return false }
        let named = try connection.query(
            """
            SELECT tbl_name, name, sql FROM main.sqlite_schema WHERE type IN ('trigger', 'view')
            """
        ) { row in (table: try row[0] as SQLName, try row[1] as SQLName, sql: try row[2] as String) }
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for (table, name, sql) in named where dependence.words.contains(table) || dependence.words.contains(name) {
                let count = dependence.words.count
                dependence.words.formUnion(SQLCursor(sql).tokens.map(\.name))
                hasGrown = hasGrown || dependence.words.count > count
            }
        }
        let tables = try connection.query(
            """
            SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
              AND name NOT IN (\(verbatim: EngineTables.quotedNames))
            """
        ) { row in try row[0] as SQLName }
        for table in tables where dependence.words.contains(table) {
            do {
                let hasRows: Bool? = try connection.value("SELECT EXISTS (SELECT 1 FROM main.\(name: table.spelling))")
                if hasRows == true { return true }
            } catch let error as LockstepError where error.code == .sqlFailed {
                continue
            }
        }
        return false
    }

    private mutating func add(_ script: MigrationScript) {
        for item in script.items {
            switch item.content {
            case .directive(.rebuild(let table)), .directive(.backfill(let table, _)):
                words.insert(SQLName(table))
            case .directive: continue
            case .sql(let sql):
                for statement in SQLCursor(sql).tokens.split(separator: ";", by: \.word)
                where Self.dependsOnRows(statement) {
                    words.formUnion(statement.map(\.name))
                }
            }
        }
    }

    /// What the rows cannot keep SQLite from doing is known from the schema alone.
    private static func dependsOnRows(_ statement: ArraySlice<SQLCursor.Token>) -> Bool {
        var cursor = SQLCursor(statement)
        if cursor.take("create") {
            if cursor.peek() == "view" || cursor.peek() == "trigger" { return false }
            if cursor.take("index") { return statement.count { $0.word == "(" } > 1 }
            guard cursor.take("table") else { return true }
            _ = cursor.take("if", "not", "exists")
            return (try? cursor.objectName()) == nil || cursor.peek() != "("
        }
        if cursor.take("alter", "table"), (try? cursor.objectName()) != nil {
            if cursor.take("add") {
                return ["check", "as", "unique"].contains { cursor.contains($0) }
            }
            return !cursor.take("rename")
        }
        return !["pragma", "analyze", "end", "begin", "commit", "select", ""].contains(cursor.peek())
    }
}

extension MigrationScript {
    /// Whether a column's cells become plaintext.
    var unseals: Bool {
        items.contains {
            guard case .directive(.sealing(let sealing)) = $0.content else { return false }
            return sealing.change.goal == .unprotect
        }
    }
}

extension Array {
    /// The parts between elements whose value is `separator`.
    fileprivate func split<Value: Equatable>(
        separator: Value, by value: KeyPath<Element, Value>
    ) -> [ArraySlice<Element>] {
        split(omittingEmptySubsequences: true) { $0[keyPath: value] == separator }
    }
}
