/// Rows whose key is stored in another form than the one in which it is written, such as a UUID in lower case.
extension Connection {
    /// The key as the row with these values stores it; nil if that is as they are written, or if there is no such row.
    /// - Throws: ``LockstepError/Code/recordMisfit`` if several rows have the key, in different forms.
    func storedKey<R: Record>(_ type: R.Type, _ key: [Value]) throws -> [Value]? {
        let source = try recordSource(type)
        guard source.hasFormedKey, key.count == source.key.count, !key.contains(.null), try !source.isKeyInOneForm(self)
        else { return nil }
        if let isOther = try isInLowerCase(key, source), !isOther { return nil }
        var equal: SQL = ""
        for (index, column) in source.key.enumerated() {
            let form = source.forms[column]
            let one =
                form.map { FormCondition(column, $0, source.name).equal(key[index]) }
                ?? "\(name: column) = \(key[index])"
            equal = index == 0 ? one : "\(equal) AND \(one)"
        }
        let columns = source.key.map(SQLTokens.quote).joined(separator: ", ")
        let rows = try query(
            "SELECT DISTINCT \(verbatim: columns) FROM \(verbatim: source.name) WHERE \(equal) LIMIT 2"
        ) { row in try (0..<key.count).map { try row[$0] as Value } }
        guard rows.count < 2 else {
            throw LockstepError(
                .recordMisfit, "\(R.table) has several rows with the key of one \(R.self), stored in different forms",
                hint: "keep one of them, and bring the column to one form: " + source.directives(source.key),
                context: .init(table: R.table, column: source.key.first))
        }
        return rows.first == key ? nil : rows.first
    }

    /// Whether a row stores a UUID, the usual key, in lower case; nil for another key.
    private func isInLowerCase(_ key: [Value], _ source: RecordSource) throws -> Bool? {
        guard key.count == 1, source.forms[source.key[0]]?.form == .uuid,
            case .text(let text) = key[0]
        else { return nil }
        let lower = text.lowercased()
        guard lower != text else { return false }
        return try value(
            "SELECT EXISTS (SELECT 1 FROM \(verbatim: source.name) WHERE \(name: source.key[0]) = \(lower))") ?? false
    }

    /// The same for values in another order of the key's columns.
    func storedKey<R: Record>(
        _ type: R.Type, _ values: [Value], of names: [String]
    ) throws -> [Value]? {
        let key = R.primaryKey.compactMap { name in names.firstIndex(of: name).map { values[$0] } }
        guard let stored = try storedKey(type, key) else { return nil }
        return names.compactMap { name in R.primaryKey.firstIndex(of: name).map { stored[$0] } }
    }

    /// The same for a record.
    func storedKey<R: Record>(_ record: R) throws -> [Value]? {
        let source = try recordSource(R.self)
        guard source.hasFormedKey, try !source.isKeyInOneForm(self) else { return nil }
        let sink = try RowSink.collect(record)
        let key = source.key.compactMap { name in
            sink.names.firstIndex(of: name).map { sink.values[$0] }
        }
        return try storedKey(R.self, key)
    }

    /// SQLite takes two forms of a key for two keys. Asked only of UUIDs, for which it is a look-up by the key: to find
    /// another form of a date would read all rows of its day for each that is inserted.
    /// - Throws: ``LockstepError/Code/constraint`` if a row stores the record's key in another form.
    func requireNewKey<R: Record>(_ record: R) throws {
        guard try storedKey(record) != nil else { return }
        let source = try recordSource(R.self)
        throw LockstepError(
            .constraint, "\(R.table) has a row with the key of this \(R.self), stored in another form",
            hint: "`save` and `upsert` change that row; `insert` takes no key twice",
            context: .init(table: R.table, column: source.key.first))
    }

    /// Updates the row that stores its key so.
    func update<R: Record>(_ record: R, at key: [Value]) throws {
        let sink = try RowSink.collect(record)
        let table = try recordTable(RecordShape.of(R.self, sink.names))
        let columns = zip(sink.names, sink.values).filter { name, _ in
            !table.shape.key.contains(name) && !table.isGenerated(name)
        }
        guard !columns.isEmpty else { return }
        try execute(
            table.update(columns.map(\.0), table.shape.key, values: columns.map(\.1) + key))
    }

    /// Deletes the row that stores its key so.
    func delete<R: Record>(_ type: R.Type, at key: [Value]) throws {
        let source = try recordSource(type)
        let isKey = source.key.map { "\(SQLTokens.quote($0)) = ?" }.joined(separator: " AND ")
        try execute(SQL(verbatim: "DELETE FROM \(source.name) WHERE \(isKey)", values: key))
    }

    /// The row that stores its key so.
    func row<R: Record>(_ type: R.Type, at key: [Value]) throws -> R? {
        let statement = try prepare(recordSource(type).finding)
        try statement.bind(values: key)
        return try statement.first { row in try row.decode(type) }
    }
}

extension RecordSource {
    /// Whether the key is one UUID.
    var hasUUIDKey: Bool { hasFormedKey && key.count == 1 && forms[key[0]]?.form == .uuid }

    /// Whether all values of the key's columns are known to have the form that is written.
    fileprivate func isKeyInOneForm(_ connection: borrowing Connection) throws -> Bool {
        for column in key where forms[column] != nil {
            guard try forms.isOneForm(column, connection) else { return false }
        }
        return true
    }

    /// The directives that bring columns to one form.
    func directives(_ columns: [String]) -> String {
        columns.compactMap { column in
            forms[column]?.form.directive.map {
                "`-- lockstep: normalise \(table).\(column) as \($0)`"
            }
        }.joined(separator: ", ")
    }
}
