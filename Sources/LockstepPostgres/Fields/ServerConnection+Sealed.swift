public import Lockstep

extension ServerConnection {
    // exact: names that the program gives
    /// Inserts a row into a table with sealed columns, whose values are sealed on the way, together with the tokens of
    /// their blind indexes.
    ///
    /// A cell is sealed to its row's key, so the key must be known first. A key that the column's own sequence fills
    /// may be left out: the connection takes 64 numbers at a time, and those that it does not use are lost.
    /// - Parameters:
    ///   - table: The table.
    ///   - values: The values by column, those of sealed columns as they are.
    /// - Returns: The row's key as it is stored, in the key's order; empty for a table without one.
    /// - Throws: `LockstepError.Code.misuse` for a table without sealed columns, a column that it has not, and a key
    ///   that is missing; `LockstepError.Code.typeMismatch` for a value that is not of its column's type;
    ///   `LockstepError.Code.sqlFailed` for a row that a trigger leaves out or gives another key: outside a
    ///   transaction the latter is stored all the same; the errors of ``query(_:_:)``.
    @discardableResult
    public func insert(_ table: String, _ values: [String: Value]) throws -> [Value] {
        let names = values.keys.sortedByBytes()
        return try insert(table, names, [names.map { values[$0] ?? .null }])[0]
    }

    /// Inserts rows as ``insert(_:_:)`` does, without waiting for the server's answer to each. Outside a transaction
    /// they are one: a row that fails leaves none of them. Inside a transaction, what fails ends it: only a rollback
    /// follows.
    ///
    /// Many rows go by COPY, if all values are of types that it stores as an INSERT does, and the table has neither
    /// rules nor row-level security for the role; otherwise as INSERTs in a pipeline.
    /// - Parameters:
    ///   - table: The table.
    ///   - columns: The columns that get values.
    ///   - rows: The values of each row, in the order of the columns.
    /// - Returns: The rows' keys.
    /// - Throws: As ``insert(_:_:)``, for the first row that fails, whose number from 1 the message begins with if the
    ///   server says which it is.
    @discardableResult
    public func insert(
        _ table: String, _ columns: [String], _ rows: [[Value]]
    ) throws -> [[Value]] {
        // What the table's triggers and defaults name is in the schema; and what is left out leaves none.
        guard !session.needsTransaction, isInTransaction || rows.count < 2 else {
            return try transaction { try $0.insert(table, columns, rows) }
        }
        try fields?.look(self)
        let writing = try ServerWriting(table, fields)
        guard rows.allSatisfy({ $0.count == columns.count }) else {
            throw LockstepError(.misuse, "a row has another number of values than there are columns")
        }
        guard !rows.isEmpty, let fields else { return [] }
        let insertion = try ServerInsertion(writing, columns)
        let numbers =
            insertion.takesNumbers
            ? try fields.numbers(rows.count, of: writing.table, self) : []
        // The look at the table costs as much as some INSERTs.
        if rows.count >= Self.fewestToCopy, insertion.canCopy(rows), try writing.table.takesCopies(self) {
            return try copy(insertion, rows, numbers, to: writing.table)
        }
        let statement = try fields.prepared(insertion.statement, self)
        var keys: [[Value]] = []
        var parameters: [[ServerParameter]] = []
        for (number, row) in rows.enumerated() {
            let row = insertion.takesNumbers ? row + [numbers[number]] : row
            let key = try insertion.key(row)
            parameters.append(try insertion.parameters(row, key))
            keys.append(key)
        }
        guard parameters.count > 1 else {
            return [try insertion.storedKey(session.run(prepared: statement.name, parameters[0]), keys[0])]
        }
        var stored: [[Value]] = []
        stored.reserveCapacity(keys.count)
        try session.runPipelined(prepared: statement.name, parameters) { result throws(LockstepError) in
            stored.append(try insertion.storedKey(result, keys[stored.count]))
        }
        guard stored.count == keys.count else { throw insertion.leftOut }
        return stored
    }

    private static let fewestToCopy = 16

    /// Sends rows by COPY, which seals each while the server stores those before.
    // The optimizer of Swift 6.3.1 aborts when it inlines a COPY.
    @inline(never)
    private func copy(
        _ insertion: ServerInsertion, _ rows: [[Value]], _ numbers: [Value],
        to table: ServerTable
    ) throws -> [[Value]] {
        var keys: [[Value]] = []
        keys.reserveCapacity(rows.count)
        var waiting = BinaryRows()
        waiting.append(BinaryRows.header)
        try session.beginCopyIn(insertion.copy)
        do {
            for (number, row) in rows.enumerated() {
                let row = insertion.takesNumbers ? row + [numbers[number]] : row
                let key = try insertion.key(row)
                try insertion.append(row, key, to: &waiting)
                keys.append(key)
                guard waiting.bytes.count >= Self.piece else { continue }
                try session.putCopy(waiting.bytes)
                waiting.removeAll()
            }
            waiting.append(BinaryRows.end)
            try session.putCopy(waiting.bytes)
        } catch {
            _ = try? session.endCopyIn(because: "the client gave up")
            throw error
        }
        guard try session.endCopyIn(to: table.shape.name) == rows.count else { throw insertion.leftOut }
        return keys
    }

    private static let piece = 1 << 16

    /// Changes the row with this key, and seals what is to be sealed.
    /// - Parameters:
    ///   - table: A table with sealed columns.
    ///   - key: The values of the row's key, in the key's order.
    ///   - values: The new values by column. The key is none of them: cells are sealed to it.
    /// - Returns: Whether there was such a row.
    /// - Throws: As ``insert(_:_:)``; `LockstepError.Code.misuse` for a new key.
    @discardableResult
    public func update(
        // exact: names that the program gives
        _ table: String, key: [Value], _ values: [String: Value]
    ) throws -> Bool {
        try fields?.look(self)
        let writing = try ServerWriting(table, fields)
        let names = writing.keyNames
        guard key.count == names.count, !names.isEmpty else {
            throw LockstepError(
                .misuse,
                "the primary key of \(table) has \(names.count) columns, not \(key.count)",
                hint: "pass its values in the key's order", context: .init(table: table))
        }
        guard
            !values.keys.contains(where: { name in
                names.contains { SQLName($0) == SQLName(name) }
            })
        else {
            throw LockstepError(
                .misuse,
                "the key of a row of \(table) cannot change: its cells are sealed to it",
                hint: "insert a row with the new key, then delete this one", context: .init(table: table))
        }
        guard !values.isEmpty else {
            throw LockstepError(.misuse, "an update of \(table) has no values")
        }
        let sorted = values.keys.sortedByBytes().map { (name: $0, value: values[$0] ?? .null) }
        let assignments = try writing.assignments(sorted, key)
        var parameters = assignments.map(\.parameter)
        for (name, value) in zip(names, key) {
            parameters.append(try writing.parameter(name, value))
        }
        let text = writing.update(assignments.map(\.name))
        guard let statement = try fields?.prepared(text, self) else { return false }
        return try session.run(prepared: statement.name, parameters).affected > 0
    }
}
