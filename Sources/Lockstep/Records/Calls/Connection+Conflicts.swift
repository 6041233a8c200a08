/// Inserts that meet a row with the same values in columns that are UNIQUE.
///
///     try db.upsert(Film(title: "Metropolis", year: 1927, likes: 3), on: \.title, \.year)
///     let new = try db.insertIfNew(Film(title: "M", year: 1931), on: \.title, \.year)
extension Connection {
    /// Inserts a record, or updates the row that has its values in these columns, whose key stays as it is.
    /// - Parameters:
    ///   - record: The record. Its key can be nil.
    ///   - target: One column or several that are UNIQUE together.
    /// - Throws: ``LockstepError/Code/sqlFailed`` if the columns are not UNIQUE; ``LockstepError/Code/misuse`` for a
    ///   sealed column; the errors of ``insert(_:)``.
    public func upsert<R: Record>(_ record: R, on target: PartialKeyPath<R>...) throws {
        try upsert(record, on: RecordProperties.of(R.self).columns(target))
    }

    fileprivate func upsert<R: Record>(_ record: R, on target: [String]) throws {
        let insertion = try ConflictingInsert(record, target, self)
        _ = try write { db in try insertion.run(updating: true, db) }
    }

    /// Inserts a record unless a row has its values in these columns, and returns the row as it is stored; nil, and
    /// nothing changes, if there is one already.
    /// - Parameters:
    ///   - record: The record. Its key can be nil.
    ///   - target: One column or several that are UNIQUE together. A conflict in another column is an error.
    /// - Throws: The errors of ``upsert(_:on:)``.
    @discardableResult
    public func insertIfNew<R: Record>(_ record: R, on target: PartialKeyPath<R>...) throws -> R? {
        try insertIfNew(record, on: RecordProperties.of(R.self).columns(target))
    }

    fileprivate func insertIfNew<R: Record>(_ record: R, on target: [String]) throws -> R? {
        let insertion = try ConflictingInsert(record, target, self)
        return try write { db in
            guard try insertion.run(updating: false, db) else { return nil }
            return try insertion.row(db)
        }
    }
}

extension Store {
    /// Inserts a record, or updates the row that has its values in these columns: see ``Connection/upsert(_:on:)``.
    /// - Throws: The errors of ``Connection/upsert(_:on:)`` and of a write.
    public func upsert<R: Record>(_ record: R, on target: PartialKeyPath<R>...) async throws {
        let columns = try RecordProperties.of(R.self).columns(target)
        try await write { db in try db.upsert(record, on: columns) }
    }

    /// Inserts a record unless a row has its values in these columns: see ``Connection/insertIfNew(_:on:)``.
    /// - Throws: The errors of ``Connection/insertIfNew(_:on:)`` and of a write.
    @discardableResult
    public func insertIfNew<R: Record>(
        _ record: R, on target: PartialKeyPath<R>...
    ) async throws -> R? {
        let columns = try RecordProperties.of(R.self).columns(target)
        return try await write { db in try db.insertIfNew(record, on: columns) }
    }
}

/// An INSERT with columns in which it can meet another row.
private struct ConflictingInsert<R: Record> {
    private let source: RecordSource
    private let target: [(name: String, value: Value)]
    /// The columns that are written, with their values.
    private let written: [(name: String, value: Value)]

    init(_ record: R, _ target: [String], _ connection: borrowing Connection) throws {
        let collected = try RowSink.collect(record)
        let table = try connection.recordTable(RecordShape.of(R.self, collected.names))
        source = try connection.recordSource(R.self)
        guard !target.isEmpty else {
            throw LockstepError(
                .misuse, "no column of \(R.self) is named in which a conflict is expected",
                hint: "name one that is UNIQUE: `on: \\.title`", context: .init(table: R.table))
        }
        let all = zip(collected.names, collected.values).map { (name: $0, value: $1) }
        written = all.filter { !table.isGenerated($0.name) }
        var found: [(name: String, value: Value)] = []
        for name in target {
            guard let value = all.first(where: { SQLName($0.name) == SQLName(name) }) else {
                throw LockstepError(
                    .misuse, "\(R.self) does not encode \(name), in which a conflict is expected",
                    context: .init(table: R.table, column: name))
            }
            guard !source.isSealed(name) else {
                throw LockstepError(
                    .misuse, "\(R.table).\(name) is sealed, and SQLite knows no conflict in it",
                    hint:
                        "look for the row with `first(_:where:)`, and update or insert it in one write",
                    context: .init(table: R.table, column: name))
            }
            found.append(value)
        }
        self.target = found
    }

    private func isTarget(_ name: String) -> Bool {
        target.contains { SQLName($0.name) == SQLName(name) }
    }

    /// What an update sets: the row that is there keeps its key.
    private var others: [(name: String, value: Value)] {
        written.filter { column in
            !isTarget(column.name) && !source.key.contains { SQLName($0) == SQLName(column.name) }
        }
    }

    /// Runs it, and returns whether a row was written.
    func run(updating: Bool, _ connection: borrowing Connection) throws -> Bool {
        source.isView ? try runOnView(updating: updating, connection) : try runOnTable(updating: updating, connection)
    }

    private func runOnTable(updating: Bool, _ connection: borrowing Connection) throws -> Bool {
        let columns = target.map { SQLTokens.quote($0.name) }.joined(separator: ", ")
        let assignments = others.map { SQLTokens.quote($0.name) }.map { "\($0) = excluded.\($0)" }
        let action = updating && !assignments.isEmpty ? "UPDATE SET \(assignments.joined(separator: ", "))" : "NOTHING"
        try connection.execute(
            SQL(verbatim: "\(insertion) ON CONFLICT (\(columns)) DO \(action)", values: written.map(\.value)))
        return connection.changes > 0
    }

    /// A view has no ON CONFLICT. Inside the transaction nobody else can insert the row meanwhile.
    private func runOnView(updating: Bool, _ connection: borrowing Connection) throws -> Bool {
        let isThere = try connection.value(
            "SELECT EXISTS (SELECT 1 FROM \(verbatim: source.name) WHERE \(condition))", as: Bool.self)
        guard isThere == true else {
            try connection.execute(SQL(verbatim: insertion, values: written.map(\.value)))
            return true
        }
        guard updating, !others.isEmpty else { return false }
        var assignments: SQL = ""
        for (index, column) in others.enumerated() {
            let one: SQL = "\(name: column.name) = \(column.value)"
            assignments = index == 0 ? one : "\(assignments), \(one)"
        }
        try connection.execute("UPDATE \(verbatim: source.name) SET \(assignments) WHERE \(condition)")
        return true
    }

    private var insertion: String {
        let names = written.map { SQLTokens.quote($0.name) }.joined(separator: ", ")
        let places = repeatElement("?", count: written.count).joined(separator: ", ")
        return "INSERT INTO \(source.name) (\(names)) VALUES (\(places))"
    }

    /// The rows with the record's values in the columns; NULL is equal to nothing, as in a UNIQUE constraint.
    private var condition: SQL {
        var sql: SQL = ""
        for (index, column) in target.enumerated() {
            let one: SQL = "\(name: column.name) = \(column.value)"
            sql = index == 0 ? one : "\(sql) AND \(one)"
        }
        return sql
    }

    /// The row that was inserted.
    func row(_ connection: borrowing Connection) throws -> R? {
        let sql: SQL =
            if target.contains(where: { $0.value == .null }), let number = source.columns.numberName, !source.isView {
                "SELECT \(verbatim: source.selection) FROM \(verbatim: source.name) WHERE \(name: number) = \(connection.lastInsertedRowID)"
            } else {
                "SELECT \(verbatim: source.selection) FROM \(verbatim: source.name) WHERE \(condition)"
            }
        guard let row = try connection.first(sql, row: { row in try row.decode(R.self) }) else {
            throw LockstepError(
                .misuse, "the new row of \(R.table) cannot be read by the columns of the conflict",
                hint: "declare them NOT NULL", context: .init(table: R.table))
        }
        return row
    }
}
