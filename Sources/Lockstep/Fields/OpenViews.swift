/// The views of one connection through which SQL reads and writes tables with sealed columns as if they were
/// not sealed. They are in its temporary schema: nobody else has them.
struct OpenViews {
    /// A table with its sealed columns, by their numbers on the connection.
    struct Group {
        let shape: SealedTable
        let columns: [(number: Int, column: SealedColumn)]

        /// What its view is called.
        var viewName: String { OpenViews.name(of: shape.name) }
    }

    static func name(of table: String) -> String { table + OpenNames.viewSuffix }

    /// What was made, by the names of the views.
    private var made: [String: [String]] = [:]

    /// Makes the views that are due, and removes those that no longer are.
    mutating func adapt(to groups: [Group], _ connection: borrowing Connection) throws {
        var due: [String: [String]] = [:]
        for group in groups { due[group.viewName] = ViewSQL(group).statements }
        for (name, statements) in made where due[name] != statements {
            try connection.execute("DROP VIEW temp.\(verbatim: SQLTokens.quote(name))")
            made[name] = nil
        }
        for group in groups where made[group.viewName] == nil {
            try Self.requireFree(group, connection)
            let statements = due[group.viewName] ?? []
            for statement in statements { try connection.execute(SQL(verbatim: statement)) }
            made[group.viewName] = statements
        }
    }

    /// A view of that name would hide what is in the file.
    private static func requireFree(_ group: Group, _ connection: borrowing Connection) throws {
        let isTaken = try connection.value(
            """
            SELECT EXISTS (SELECT 1 FROM main.sqlite_schema
                WHERE type IN ('table', 'view') AND lower(name) = lower(?))
            """, group.viewName, as: Bool.self)
        guard isTaken != true else {
            throw LockstepError(
                .misuse,
                "\(group.viewName) is in the database already, and would be the readable view of \(group.shape.name)",
                hint: "rename it")
        }
    }
}

/// The statements that make one view and what writes through it.
struct ViewSQL {
    private let group: OpenViews.Group
    private let shape: SealedTable

    init(_ group: OpenViews.Group) {
        self.group = group
        shape = group.shape
    }

    var statements: [String] { [view] + [insertion, update, deletion].compactMap { $0 } }

    private var quotedView: String { SQLTokens.quote(group.viewName) }

    private func number(_ column: SealedTable.Column) -> Int? {
        group.columns.first { $0.column.name.asciiLowercased == column.name.asciiLowercased }?
            .number
    }

    private func sealing(_ column: SealedTable.Column) -> SealedColumn? {
        group.columns.first { $0.column.name.asciiLowercased == column.name.asciiLowercased }?
            .column
    }

    /// `lockstep_…(number, value, key…)`.
    private func call(
        _ function: String, _ column: SealedTable.Column, _ value: String,
        key: (SealedTable.Column) -> String
    ) -> String? {
        guard let number = number(column), let sealing = sealing(column) else { return nil }
        let keys = sealing.mode == .random ? shape.key.columns.map(key) : []
        return "\(function)(\(([String(number), value] + keys).joined(separator: ", ")))"
    }

    /// What an index's column takes for a row's new values; nil for a column of the program's.
    private func token(_ column: SealedTable.Column) -> String? {
        for (number, sealed) in group.columns {
            for index in sealed.indexes
            where index.name.asciiLowercased == column.name.asciiLowercased {
                return
                    "lockstep_token(\(number), \(index.index.number), NEW.\(SQLTokens.quote(sealed.name)))"
            }
        }
        return nil
    }

    /// Those that the program knows.
    private var shown: [SealedTable.Column] { shape.columns.filter { token($0) == nil } }

    private var view: String {
        let columns = shown.map { column in
            let name = SQLTokens.quote(column.name)
            let opened = call("lockstep_open", column, name) { SQLTokens.quote($0.name) }
            return opened.map { "\($0) AS \(name)" } ?? name
        }
        return "CREATE TEMP VIEW \(quotedView) AS "
            + "SELECT \(columns.joined(separator: ", ")) FROM main.\(shape.quotedName)"
    }

    // In a trigger a table cannot be named with its schema; the view has another name, so that the
    // table's own is not hidden.

    private var written: [SealedTable.Column] { shape.columns.filter { !$0.isGenerated } }

    private var insertion: String {
        // The row's number is needed before the row is there. An aggregate, so that SQLite computes it once.
        var (source, key) = ("", { (column: SealedTable.Column) in "NEW.\(quote(column))" })
        if case .row(let column) = shape.key {
            let name = quote(column)
            var last = "max(\(name))"
            if shape.isAutoincrement {
                let text = shape.name.replacing("'", with: "''")
                last =
                    "max(coalesce(\(last), 0), coalesce((SELECT seq FROM sqlite_sequence WHERE name = '\(text)'), 0))"
            }
            source =
                " FROM (SELECT coalesce(NEW.\(name), \(last) + 1, 1) AS lockstep_row FROM \(shape.quotedName))"
            key = { _ in "lockstep_row" }
        }
        let values = written.map { column in
            if shape.key == .row(column) { return key(column) }
            if let token = token(column) { return token }
            var value = "NEW.\(quote(column))"
            // A view has no defaults: what is left out arrives as NULL, which such a column cannot mean.
            if column.isNotNull, let standard = column.defaultSQL {
                value = "coalesce(\(value), \(standard))"
            }
            return call("lockstep_seal", column, value, key: key) ?? value
        }
        return trigger(
            "INSERT",
            "INSERT INTO \(shape.quotedName) (\(written.map(quote).joined(separator: ", "))) SELECT \(values.joined(separator: ", "))\(source)",
            then: shape.hasRowID
                ? " SELECT lockstep_inserted(last_insert_rowid()) WHERE changes() > 0;" : "")
    }

    private var update: String? {
        guard shape.key != .none else { return nil }
        let keyIsSame = shape.key.columns.map { same($0) }.joined(separator: " AND ")
        let assignments = written.map { column in
            let name = quote(column)
            if let token = token(column) { return "\(name) = \(token)" }
            let sealed = call("lockstep_seal", column, "NEW.\(name)") { "NEW.\(quote($0))" }
            guard let sealed, let sealing = sealing(column) else {
                return "\(name) = NEW.\(name)"
            }
            let unchanged =
                sealing.mode == .random ? "\(same(column)) AND \(keyIsSame)" : same(column)
            return "\(name) = CASE WHEN \(unchanged) THEN \(name) ELSE \(sealed) END"
        }
        return trigger(
            "UPDATE",
            "UPDATE \(shape.quotedName) SET \(assignments.joined(separator: ", ")) WHERE \(oldKey)")
    }

    private var deletion: String? {
        guard shape.key != .none else { return nil }
        return trigger("DELETE", "DELETE FROM \(shape.quotedName) WHERE \(oldKey)")
    }

    private var oldKey: String {
        shape.key.columns.map { "\(quote($0)) = OLD.\(quote($0))" }.joined(separator: " AND ")
    }

    /// Also of the same type: 1 and 1.0 are equal to SQLite.
    private func same(_ column: SealedTable.Column) -> String {
        let name = quote(column)
        return
            "NEW.\(name) IS OLD.\(name) COLLATE BINARY AND typeof(NEW.\(name)) = typeof(OLD.\(name))"
    }

    private func trigger(
        _ event: String, _ statement: String, then second: String = ""
    ) -> String {
        let name = SQLTokens.quote("\(group.viewName)_\(event.asciiLowercased)")
        return "CREATE TEMP TRIGGER \(name) INSTEAD OF \(event) ON temp.\(quotedView) "
            + "BEGIN \(statement);\(second) END"
    }

    private func quote(_ column: SealedTable.Column) -> String { SQLTokens.quote(column.name) }
}
