/// Values of ``Record`` types as rows.
///
/// A table with sealed columns is read and written through its readable view. Each call is one change: it happens as a
/// whole or not at all.
extension Connection {
    /// Inserts a record, and returns the row as it is stored: with its number, if the key is nil and an INTEGER PRIMARY
    /// KEY, with generated columns, and with the defaults of columns that the record does not encode.
    /// - Throws: ``LockstepError/Code/bindMismatch`` for a property that its column cannot store;
    ///   ``LockstepError/Code/constraint``, also if a row stores the key, a UUID, in lower case;
    ///   ``LockstepError/Code/misuse`` if a table with sealed columns has no key by which the row can be read; the errors
    ///   of ``prepare(_:)`` and ``Row/decode(_:)``.
    @discardableResult
    public func insert<R: Record>(_ record: R) throws -> R {
        try whole { db in try db.inserted(record) }
    }

    /// Inserts records, and reads nothing back: the fast way to insert many.
    /// - Throws: The errors of ``insert(_:)``.
    public func insert<R: Record>(all records: [R]) throws {
        guard let first = records.first else { return }
        try write { db in
            let form = try db.recordTable(of: first).form(.insert)
            let statement = try db.prepare(form.key)
            let sink = RowSink(R.self, form.slots)
            let hasUUIDKey = try db.recordSource(R.self).hasUUIDKey
            for record in records {
                if hasUUIDKey { try db.requireNewKey(record) }
                let outcome = try statement.bind { try sink.append(record, to: &$0) }
                if outcome == .complete {
                    try statement.runBound()
                } else {
                    _ = try db.run(.insert, record)
                }
            }
        }
    }

    /// Updates the row with the record's key.
    /// - Throws: ``LockstepError/Code/rowMissing`` if there is no such row; ``LockstepError/Code/misuse`` if the record
    ///   has no key; ``LockstepError/Code/recordMisfit`` if several rows have the key, in different forms such as a
    ///   UUID's; the errors of ``insert(_:)``.
    public func update<R: Record>(_ record: R) throws {
        try whole { db in
            if let key = try db.storedKey(record) { return try db.update(record, at: key) }
            guard try db.run(.update, record) else { throw Self.keyMissing(R.self) }
            guard db.changes > 0 else { throw Self.rowMissing(R.self) }
        }
    }

    /// Updates the row with the record's key, or inserts the record if there is none.
    /// - Throws: The errors of ``insert(_:)``; ``LockstepError/Code/sqlFailed`` if the key is neither a primary key nor
    ///   unique.
    public func upsert<R: Record>(_ record: R) throws {
        try whole { db in
            if let key = try db.storedKey(record) { return try db.update(record, at: key) }
            if try !db.usualTable(record).isView {
                _ = try db.run(.upsert, record)
            } else if try !db.run(.update, record) || db.changes == 0 {
                _ = try db.run(.insert, record)
            }
        }
    }

    /// Inserts a record whose key is nil, and updates or inserts any other; returns the row as it is stored.
    /// - Throws: The errors of ``insert(_:)`` and ``upsert(_:)``.
    @discardableResult
    public func save<R: Record>(_ record: R) throws -> R {
        try whole { db in
            if let key = try db.storedKey(record) {
                try db.update(record, at: key)
                guard let row = try db.row(R.self, at: key) else { throw Self.rowMissing(R.self) }
                return row
            }
            let table = try db.usualTable(record)
            guard table.isView else {
                if table.returnsStored(.upsertReturning) {
                    if let row = try db.first(.upsertReturning, record) { return row }
                    // The row has no columns besides its key, and was there.
                } else if try db.run(.upsert, record), try db.lacksKey(record) {
                    return try db.insertedRow(record, table)
                }
                guard let row = try db.first(.select, record) else { throw Self.rowMissing(R.self) }
                return row
            }
            guard try db.run(.update, record), db.changes > 0 else {
                return try db.inserted(record)
            }
            return try db.first(.select, record) ?? record
        }
    }

    /// Deletes the row with the record's key, and returns whether there was one.
    /// - Throws: ``LockstepError/Code/misuse`` if the record has no key; the errors of ``prepare(_:)`` and
    ///   ``Statement/run(_:)``.
    @discardableResult
    public func delete<R: Record>(_ record: R) throws -> Bool {
        try whole { db in
            if let key = try db.storedKey(record) {
                try db.delete(R.self, at: key)
                return true
            }
            guard try db.run(.delete, record) else { throw Self.keyMissing(R.self) }
            return db.changes > 0
        }
    }

    /// Updates the columns in which a record differs from an earlier value of it, and returns whether there are any.
    /// Nothing is written if there are none.
    /// - Throws: ``LockstepError/Code/misuse`` if the two have different keys or encode different properties; the
    ///   errors of ``update(_:)``.
    @discardableResult
    public func updateChanges<R: Record>(_ record: R, from earlier: R) throws -> Bool {
        try whole { db in
            let (new, old) = (try RowSink.collect(record), try RowSink.collect(earlier))
            guard new.names.hasSameBytes(as: old.names) else {
                throw LockstepError(
                    .misuse, "the two values of \(R.self) encode different properties",
                    hint: "call `update`", context: .init(table: R.table))
            }
            let table = try db.recordTable(RecordShape.of(R.self, new.names))
            // Refuses a type without a key.
            _ = try table.form(.update)
            var key: [(name: String, value: Value)] = []
            var changed: [(name: String, value: Value)] = []
            for (index, name) in new.names.enumerated() where !table.isGenerated(name) {
                if table.shape.key.containsBytes(of: name) {
                    key.append((name, new.values[index]))
                    guard new.values[index] != .null else { throw Self.keyMissing(R.self) }
                    guard new.values[index] == old.values[index] else {
                        throw LockstepError(
                            .misuse, "the two values of \(R.self) have different keys",
                            hint: "insert a record for another row", context: .init(table: R.table, column: name))
                    }
                } else if new.values[index] != old.values[index] {
                    changed.append((name, new.values[index]))
                }
            }
            guard !changed.isEmpty else { return false }
            let values = key.map(\.value)
            let stored = try db.storedKey(R.self, values, of: key.map(\.name)) ?? values
            try db.execute(
                table.update(
                    changed.map(\.name), key.map(\.name),
                    values: changed.map(\.value) + stored))
            guard db.changes > 0 else { throw Self.rowMissing(R.self) }
            return true
        }
    }

    // MARK: Parts

    /// Runs a change of one or more statements as a whole. A single statement needs no savepoint in a transaction: only
    /// the reading that follows it can fail, and then the caller learns it.
    private func whole<Result>(_ body: (borrowing Connection) throws -> Result) throws -> Result {
        try isInTransaction ? savepointIfViews(body) : write(body)
    }

    /// Views take several statements for one change.
    private func savepointIfViews<Result>(
        _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        guard core.attachment.state != nil else { return try body(self) }
        return try savepoint(body)
    }

    private func inserted<R: Record>(_ record: R) throws -> R {
        if try recordSource(R.self).hasUUIDKey { try requireNewKey(record) }
        let table = try usualTable(record)
        guard !table.returnsStored(.insertReturning) else {
            guard let row = try first(.insertReturning, record) else {
                throw Self.rowMissing(R.self)
            }
            return row
        }
        _ = try run(.insert, record)
        return try insertedRow(record, table)
    }

    /// The row that an INSERT has made, as it is stored.
    private func insertedRow<R: Record>(_ record: R, _ table: RecordTable) throws -> R {
        // A trigger can leave the row out, with RAISE(IGNORE).
        guard changes > 0 else { throw Self.rowMissing(R.self) }
        var row: R?
        if let column = table.rowIDColumn {
            row = try first(table.selection(lastInsertedRowID, in: column)) { row in
                try row.decode(R.self)
            }
        } else {
            row = try first(.select, record)
        }
        guard let row else {
            throw LockstepError(
                .misuse, "\(R.table) has no key by which the new row of \(R.self) can be read",
                hint: "declare `primaryKey`, or use `insert(all:)`, which reads nothing",
                context: .init(table: R.table))
        }
        return row
    }

    /// Whether a column of the record's key is NULL.
    private func lacksKey<R: Record>(_ record: R) throws -> Bool {
        try bound(.select, record) { _ in true } == nil
    }

    private func usualTable<R: Record>(_ record: R) throws -> RecordTable {
        try recordTable(of: record)
    }

    /// Runs a statement with a record's values. False, and nothing runs, if the statement needs a key that is NULL.
    private func run<R: Record>(_ verb: RecordTable.Verb, _ record: R) throws -> Bool {
        try bound(verb, record) { statement in try statement.runBound() } != nil
    }

    /// The first row that a statement returns. Nil, too, if it needs a key that is NULL.
    private func first<R: Record>(_ verb: RecordTable.Verb, _ record: R) throws -> R? {
        try bound(verb, record) { statement in
            try statement.firstOfRun { row in try row.decode(R.self) }
        } ?? nil
    }

    private func bound<R: Record, Result>(
        _ verb: RecordTable.Verb, _ record: R,
        _ body: (borrowing Statement) throws -> Result
    ) throws -> Result? {
        let form = try usualTable(record).form(verb)
        let statement = try prepare(form.key)
        let sink = RowSink(R.self, form.slots)
        switch try statement.bind(filling: { try sink.append(record, to: &$0) }) {
        case .complete: return try body(statement)
        case .lacksKey: return nil
        case .otherProperties: break
        }
        let collected = try RowSink.collect(record)
        let other = try recordTable(RecordShape.of(R.self, collected.names)).form(verb)
        let otherStatement = try prepare(other.key)
        let outcome = try otherStatement.bind { parameters in
            collected.append(other.slots, to: &parameters)
        }
        return outcome == .complete ? try body(otherStatement) : nil
    }

    private static func keyMissing<R: Record>(_ type: R.Type) -> LockstepError {
        LockstepError(
            .misuse, "the key of \(type) is nil: \(type.primaryKey.joined(separator: ", "))",
            hint: "insert the record first, and use the one that `insert` returns", context: .init(table: type.table))
    }

    private static func rowMissing<R: Record>(_ type: R.Type) -> LockstepError {
        LockstepError(
            .rowMissing, "\(type.table) has no row with the key of this \(type)",
            hint: "`upsert` and `save` insert it if it is missing", context: .init(table: type.table))
    }
}
