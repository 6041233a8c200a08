/// A query of a record type's rows, with everything that it was made of.
struct RecordQuery<R: Record>: Sendable {
    private let condition: ConditionTree?
    private let order: [Ordering<R>]
    private let limit: Int?
    private let offset: Int
    private let page: Page?

    /// Where a page begins.
    private enum Page {
        case first
        /// After the row that has these values.
        case after([(name: String, value: Value)])
    }

    init(
        _ condition: ((Columns<R>) -> Condition<R>)?,
        orderBy order: ((Columns<R>) -> [Ordering<R>])? = nil, limit: Int? = nil, offset: Int = 0
    ) {
        self.condition = condition?(Columns()).tree
        self.order = order?(Columns()) ?? []
        (self.limit, self.offset, page) = (limit, offset, nil)
    }

    /// A page of rows, whose order ends with the key, so that no two rows have the same place.
    init(
        pageOf limit: Int, _ condition: ((Columns<R>) -> Condition<R>)?,
        orderBy order: ((Columns<R>) -> [Ordering<R>])?, after last: R?
    ) throws {
        self.condition = condition?(Columns()).tree
        var order = order?(Columns()) ?? []
        let names = order.compactMap { try? $0.column.get() }.map { SQLName($0) }
        order += R.primaryKey.filter { !names.contains(SQLName($0)) }
            .map { Ordering(column: .success($0), isDescending: false) }
        self.order = order
        (self.limit, offset) = (limit, 0)
        page =
            try last.map { last in
                let collected = try RowSink.collect(last)
                return .after(zip(collected.names, collected.values).map { (name: $0, value: $1) })
            } ?? .first
    }

    init(where condition: (Columns<R>) -> Condition<R>) {
        self.condition = condition(Columns()).tree
        (order, limit, offset, page) = ([], nil, 0, nil)
    }

    // MARK: Running

    func all(_ connection: borrowing Connection) throws -> [R] {
        try inOneState(connection) { db in
            try db.query(try selection(db)) { row in try row.decode(R.self) }
        }
    }

    func first(_ connection: borrowing Connection) throws -> R? {
        try inOneState(connection) { db in
            try db.first(try selection(db)) { row in try row.decode(R.self) }
        }
    }

    func count(_ connection: borrowing Connection) throws -> Int {
        let source = try connection.recordSource(R.self)
        let sql: SQL = "SELECT count(*) FROM \(verbatim: source.name)\(try filter(source, connection))"
        return try connection.value(sql) ?? 0
    }

    func delete(_ connection: borrowing Connection) throws -> Int {
        let source = try connection.recordSource(R.self)
        try connection.execute("DELETE FROM \(verbatim: source.name)\(try filter(source, connection))")
        return connection.changes
    }

    func update(
        _ assignments: [Assignment<R>], _ connection: borrowing Connection
    ) throws -> Int {
        guard !assignments.isEmpty else {
            throw LockstepError(
                .misuse, "an update of \(R.self) sets no column",
                hint: "name one: `set: { [$0.likes += 1] }`", context: .init(table: R.table))
        }
        let source = try connection.recordSource(R.self)
        var list: SQL = ""
        for (index, assignment) in assignments.enumerated() {
            let one = try assignment.sql(source)
            list = index == 0 ? one : "\(list), \(one)"
        }
        try connection.execute("UPDATE \(verbatim: source.name) SET \(list)\(try filter(source, connection))")
        return connection.changes
    }

    // MARK: SQL

    func selection(_ connection: borrowing Connection) throws -> SQL {
        let source = try connection.recordSource(R.self)
        let filter = try filter(source, connection)
        var sql: SQL =
            "SELECT \(verbatim: source.selection) FROM \(verbatim: source.name)\(filter)"
        for (index, ordering) in order.enumerated() {
            let column = try ordering.column.get()
            try source.require(column)
            if source.isSealed(column) {
                try requireFew(column, source, filter, connection)
            }
            let direction = ordering.isDescending ? " DESC" : ""
            let key = try orderKey(index, column, source, filter, connection)
            sql = "\(sql)\(verbatim: index == 0 ? " ORDER BY " : ", ")\(verbatim: key)\(verbatim: direction)"
        }
        if let limit, limit < 0 {
            throw LockstepError(
                .misuse, "the limit \(limit) is negative", hint: "leave it out for all rows",
                context: .init(table: R.table))
        }
        guard offset >= 0 else {
            throw LockstepError(
                .misuse, "the offset \(offset) is negative",
                hint: "leave it out to begin at the first row",
                context: .init(table: R.table))
        }
        if let limit { sql = "\(sql) LIMIT \(limit)" }
        guard offset > 0 else { return sql }
        // SQLite has no OFFSET without LIMIT.
        return limit == nil ? "\(sql) LIMIT -1 OFFSET \(offset)" : "\(sql) OFFSET \(offset)"
    }

    /// SQL by which rows are ordered by what is read from a column.
    private func orderKey(
        _ index: Int, _ column: String, _ source: RecordSource, _ filter: SQL, _ connection: borrowing Connection
    ) throws -> String {
        let name = SQLTokens.quote(column)
        guard let formed = source.forms[column] else { return name }
        let isFirstDate =
            index == 0 && formed.form == .date && formed.isIndexed && (limit ?? 0) > 0
            && offset == 0
            && !source.isView
        if formed.form != .decimal,
            try source.forms.isOneForm(column, isWorthLook: condition == nil && !isFirstDate, connection)
        {
            return name
        }
        if isFirstDate, let limit {
            let order = DateOrder(
                column: column, isDescending: order[0].isDescending, limit: limit, rows: source.name, condition: filter)
            if try order.isThatOfTexts(connection) { return name }
        }
        return formed.form.order(name)
    }

    /// Runs a query whose SQL depends on what it finds in the database, which must be in one state meanwhile.
    private func inOneState<Result>(
        _ connection: borrowing Connection, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        guard !order.isEmpty, !connection.isInTransaction,
            try !connection.recordSource(R.self).forms.isEmpty
        else { return try body(connection) }
        return try connection.read(body)
    }

    private func filter(
        _ source: RecordSource, _ connection: borrowing Connection
    ) throws -> SQL {
        var condition = condition
        if case .after(let values) = page {
            let rest = try rest(after: values, source)
            condition = condition.map { .and($0, rest) } ?? rest
        }
        guard let condition else { return "" }
        return " WHERE \(try ConditionWriter.sql(condition, source, connection))"
    }

    /// The rows that come after the one with these values in the order: greater in the first column in which they
    /// differ.
    private func rest(
        after values: [(name: String, value: Value)], _ source: RecordSource
    ) throws -> ConditionTree {
        var rest = ConditionTree.sql("0")
        for ordering in order.reversed() {
            let column = try ordering.column.get()
            guard let value = values.first(where: { SQLName($0.name) == SQLName(column) })?.value else {
                throw LockstepError(
                    .misuse, "\(R.self) does not encode \(column), by which its pages are ordered",
                    context: .init(table: R.table, column: column))
            }
            let isNull = ConditionTree.isNull(column)
            // NULL comes before every value.
            let later: ConditionTree
            switch (value == .null, ordering.isDescending) {
            case (true, false): later = .not(isNull)
            case (true, true): later = .sql("0")
            case (false, false): later = .compare(column, .greater, value)
            case (false, true):
                let less = ConditionTree.compare(column, .less, value)
                later = source.columns.isNeverNull(column) ? less : .or(less, isNull)
            }
            let same = value == .null ? isNull : .compare(column, .equal, value)
            rest = .or(later, .and(same, rest))
            // Says once more what an index can find.
            guard value != .null else { continue }
            if !ordering.isDescending {
                rest = .and(.compare(column, .greaterOrEqual, value), rest)
            } else if source.columns.isNeverNull(column) {
                rest = .and(.compare(column, .lessOrEqual, value), rest)
            }
        }
        return rest
    }

    /// To order rows by a sealed column opens all of them.
    private func requireFew(
        _ column: String, _ source: RecordSource, _ filter: SQL,
        _ connection: borrowing Connection
    ) throws {
        let most = connection.core.maximumOpenedRows
        let (enough, _) = most.addingReportingOverflow(1)
        func count(_ rows: SQL) throws -> Int {
            try connection.value("SELECT count(*) FROM (\(rows) LIMIT \(enough))") ?? 0
        }
        // Rows of the table are counted without opening any.
        let all: SQL = "SELECT 1 FROM main.\(name: source.table)"
        guard try count(all) > most else { return }
        guard
            try condition == nil
                || count("SELECT 1 FROM \(verbatim: source.name)\(filter)") > most
        else { return }
        throw LockstepError(
            .limitExceeded,
            "\(source.table).\(column) is sealed, and an order by it would open more than \(counted(most, "row"))",
            hint: "narrow the condition, or raise `maximumOpenedRows` of the options",
            context: .init(table: source.table, column: column))
    }
}

extension Assignment {
    fileprivate func sql(_ source: RecordSource) throws -> SQL {
        let column = try column.get()
        try source.require(column)
        let name = SQLTokens.quote(column)
        switch try form.get() {
        case .value(let value): return "\(verbatim: name) = \(value)"
        case .sql(let sql): return "\(verbatim: name) = (\(sql))"
        case .sum(let value): return Self.checked(name, "+", value)
        case .difference(let value): return Self.checked(name, "-", value)
        }
    }

    /// SQLite makes an integer that does not fit a REAL, which is another value.
    private static func checked(_ name: String, _ sign: String, _ value: Value) -> SQL {
        let result: SQL = "\(verbatim: name) \(verbatim: sign) \(value)"
        guard case .integer = value else { return "\(verbatim: name) = \(result)" }
        let overflow = "abs(-9223372036854775807 - 1)"
        return "\(verbatim: name) = CASE typeof(\(result)) WHEN 'real' THEN \(verbatim: overflow) ELSE \(result) END"
    }
}

extension Connection {
    /// The row with these values of its key's columns.
    func found<R: Record>(_ type: R.Type, _ key: [Value]) throws -> R? {
        let source = try recordSource(type)
        guard key.count == source.key.count, !key.isEmpty else {
            throw LockstepError(
                .misuse,
                "the key of \(type) has \(counted(source.key.count, "column")), and \(counted(key.count, "value")) is given",
                hint: "its key is \(source.key.joined(separator: ", "))", context: .init(table: R.table))
        }
        guard source.hasFormedKey else { return try row(type, at: key) }
        return try read { db in try db.row(type, at: try db.storedKey(type, key) ?? key) }
    }
}

extension Record {
    /// Values of the key's columns in the forms that these store.
    static func key<each Key: Encodable & Sendable>(
        _ values: repeat each Key
    ) throws(LockstepError) -> [Value] {
        var names = primaryKey.makeIterator()
        var stored: [Value] = []
        for value in repeat each values {
            stored.append(try RowSink.stored(value, as: names.next() ?? "", of: Self.self))
        }
        return stored
    }
}
