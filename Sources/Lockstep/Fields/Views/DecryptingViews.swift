/// The views through which one connection reads and writes tables with sealed columns like any other table. They are in
/// its temporary schema, so no other connection has them.
struct DecryptingViews {
    /// A table with its sealed columns, by their numbers on the connection.
    struct Group {
        let shape: SealedTable
        let columns: [(number: Int, column: SealedColumn)]
        /// The capability that its calls pass.
        let capability: CellCapability

        /// The name of its view.
        var viewName: String { DecryptingViews.name(of: shape.name) }
    }

    static func name(of table: String) -> String { table + OpenNames.viewSuffix }

    /// The statements of the existing views, by view name.
    private var made: [SQLName: [String]] = [:]

    private func reserve(_ connection: borrowing Connection) {
        connection.authorizer.viewNames = Set(made.keys)
    }

    /// Creates the views for `groups`, and removes all others.
    mutating func adapt(to groups: [Group], _ connection: borrowing Connection) throws {
        var wanted: [SQLName: [String]] = [:]
        for group in groups { wanted[SQLName(group.viewName)] = ViewSQL(group).statements }
        // This check comes first: without its view, a table of the file that has the view's name would receive
        // plaintext.
        for group in groups { try Self.requireFree(group.shape.name, connection) }
        for (name, statements) in made where wanted[name]?.hasSameBytes(as: statements) != true {
            try connection.execute("DROP VIEW temp.\(verbatim: SQLTokens.quote(name.spelling))")
            made[name] = nil
        }
        for group in groups where made[SQLName(group.viewName)] == nil {
            let statements = wanted[SQLName(group.viewName)] ?? []
            for statement in statements { try connection.execute(SQL(verbatim: statement)) }
            made[SQLName(group.viewName)] = statements
        }
        reserve(connection)
    }

    /// Replaces the views with views that refer to no table and only fail. Tables and views of the file with the same
    /// names stay hidden meanwhile.
    mutating func withdraw(_ connection: borrowing Connection) throws {
        for name in made.keys.sorted() {
            let view = SQLTokens.quote(name.spelling)
            let statement = "CREATE TEMP VIEW \(view) AS SELECT lockstep_open(NULL) AS withdrawn"
            try connection.execute("DROP VIEW temp.\(verbatim: view)")
            try connection.execute(SQL(verbatim: statement))
            made[name] = [statement]
        }
    }

    /// The readable view of a table would hide a table or view of that name in the file.
    /// - Throws: ``LockstepError/Code/misuse``.
    static func requireFree(_ table: String, _ connection: borrowing Connection) throws {
        let view = name(of: table)
        let isTaken = try connection.value(
            """
            SELECT EXISTS (SELECT 1 FROM main.sqlite_schema
                WHERE type IN ('table', 'view') AND lower(name) = lower(?))
            """, view, as: Bool.self)
        guard isTaken != true else {
            throw LockstepError(
                .misuse, "the database already contains \(view), the name of the readable view of \(table)",
                hint: "rename it", context: .init(table: table))
        }
    }
}

/// The statements that create one view and its triggers.
struct ViewSQL {
    private let group: DecryptingViews.Group
    private let shape: SealedTable

    init(_ group: DecryptingViews.Group) {
        self.group = group
        shape = group.shape
    }

    var statements: [String] { [view] + [insertion, update, deletion].compactMap { $0 } }

    private var quotedView: String { SQLTokens.quote(group.viewName) }

    private func number(_ column: SealedTable.Column) -> Int? {
        group.columns.first { SQLName($0.column.name) == SQLName(column.name) }?.number
    }

    private func sealing(_ column: SealedTable.Column) -> SealedColumn? {
        group.columns.first { SQLName($0.column.name) == SQLName(column.name) }?.column
    }

    /// `lockstep_…(capability, value, key…)`.
    private func call(
        _ function: String, _ column: SealedTable.Column, _ value: String, key: (SealedTable.Column) -> String
    ) -> String? {
        guard let number = number(column), let sealing = sealing(column) else { return nil }
        let keys = shape.boundColumns(sealing.mode).map(key)
        return "\(function)(\(([group.capability.literal(for: number), value] + keys).joined(separator: ", ")))"
    }

    /// The token for a row's new values, for a token column; nil for a column of the program.
    private func token(_ column: SealedTable.Column) -> String? {
        for (number, sealed) in group.columns {
            for index in sealed.indexes where SQLName(index.name) == SQLName(column.name) {
                let capability = group.capability.literal(for: number)
                return "lockstep_token(\(capability), \(index.index.number), NEW.\(SQLTokens.quote(sealed.name)))"
            }
        }
        return nil
    }

    /// The columns that the view shows.
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

    // A trigger cannot name a table with its schema. The view's name differs from the table's, so it does not hide the
    // table.

    private var written: [SealedTable.Column] { shape.columns.filter { !$0.isGenerated } }

    private var insertion: String {
        // The row's number must be known before the row exists. It comes from an aggregate, so that SQLite computes it
        // once.
        var (source, key) = ("", { (column: SealedTable.Column) in "NEW.\(quote(column))" })
        if case .row(let column) = shape.key {
            let name = quote(column)
            var last = "max(\(name))"
            if shape.isAutoincrement {
                let text = SQLTokens.quoteText(shape.name)
                last = "max(coalesce(\(last), 0), coalesce((SELECT seq FROM sqlite_sequence WHERE name = \(text)), 0))"
            }
            source = " FROM (SELECT coalesce(NEW.\(name), \(last) + 1, 1) AS lockstep_row FROM \(shape.quotedName))"
            key = { _ in "lockstep_row" }
        }
        let values = written.map { column in
            if shape.key == .row(column) { return key(column) }
            if let token = token(column) { return token }
            var value = "NEW.\(quote(column))"
            // A view has no defaults: an omitted column arrives as NULL, which is not a valid value of a NOT NULL
            // column.
            if column.isNotNull, let standard = standard(column) {
                value = "coalesce(\(value), \(standard.sql))"
            }
            return call("lockstep_seal", column, value, key: key) ?? value
        }
        return trigger(
            "INSERT",
            "INSERT INTO \(shape.quotedName) (\(written.map(quote).joined(separator: ", "))) SELECT \(values.joined(separator: ", "))\(source)",
            after: mustBeNamed,
            row: shape.hasRowID ? "last_insert_rowid()" : "NULL")
    }

    /// The default for an omitted column; nil if the insert must name the column.
    private func standard(_ column: SealedTable.Column) -> LiteralDefault? {
        showsEquality(column) ? nil : column.literalDefault
    }

    /// Whether anyone who can open the database sees which cells are equal. An attacker who chose the default would
    /// learn which rows contain it.
    private func showsEquality(_ column: SealedTable.Column) -> Bool {
        sealing(column).map { $0.mode.showsEquality || !$0.indexes.isEmpty } ?? false
    }

    /// Refuses an insert that omits a column whose default is an expression: that is the file's own SQL and never runs
    /// here.
    private var mustBeNamed: String {
        written.filter { $0.isNotNull && $0.defaultSQL != nil && standard($0) == nil }
            .filter { shape.key != .row($0) && token($0) == nil }
            .map { column in
                let why =
                    column.literalDefault == nil
                    ? "its default in the file is an expression"
                    : "a default from the file would reveal which other rows have the same value"
                let reason =
                    "an insert through \(group.viewName) must name \(column.name): \(why)"
                return "SELECT RAISE(ABORT, \(SQLTokens.quoteText(reason))) WHERE NEW.\(quote(column)) IS NULL; "
            }
            .joined()
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
            var unchanged = sealing.mode.bindsToRow ? "\(same(column)) AND \(keyIsSame)" : same(column)
            // A value that is not sealed yet is sealed now: the guards refuse it.
            if sealing.state == .migrating {
                unchanged += " AND (\(name) IS NULL OR \(CellShape.matches(name, sealing.mode)))"
            }
            return "\(name) = CASE WHEN \(unchanged) THEN \(name) ELSE \(sealed) END"
        }
        return trigger(
            "UPDATE", "UPDATE \(shape.quotedName) SET \(assignments.joined(separator: ", ")) WHERE \(oldKey)")
    }

    private var deletion: String? {
        guard shape.key != .none else { return nil }
        return trigger("DELETE", "DELETE FROM \(shape.quotedName) WHERE \(oldKey)")
    }

    private var oldKey: String {
        shape.key.columns.map { "\(quote($0)) = OLD.\(quote($0))" }.joined(separator: " AND ")
    }

    /// Compares the types as well, because 1 and 1.0 are equal to SQLite.
    private func same(_ column: SealedTable.Column) -> String {
        let name = quote(column)
        return "NEW.\(name) IS OLD.\(name) COLLATE BINARY AND typeof(NEW.\(name)) = typeof(OLD.\(name))"
    }

    private func trigger(
        _ event: String, _ statement: String, after first: String = "", row: String = "NULL"
    ) -> String {
        let report = "SELECT lockstep_written(\(group.capability.literal(for: 0)), changes(), \(row))"
        let name = SQLTokens.quote("\(group.viewName)_\(event.asciiLowercased)")
        return "CREATE TEMP TRIGGER \(name) INSTEAD OF \(event) ON temp.\(quotedView) "
            + "BEGIN \(first)\(statement); \(report); END"
    }

    private func quote(_ column: SealedTable.Column) -> String { SQLTokens.quote(column.name) }
}
