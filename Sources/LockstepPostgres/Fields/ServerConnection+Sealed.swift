#if Postgres
    public import Lockstep

    extension ServerConnection {
        /// Inserts a row into a table with sealed columns, whose values are sealed on the way, together with the tokens of
        /// their blind indexes.
        ///
        /// A cell is sealed to its row's key, so the key must be known first. A key that the column's own sequence fills may
        /// be left out: the connection takes 64 numbers at a time, and those that it does not use are lost.
        /// - Parameters:
        ///   - table: The table.
        ///   - values: The values by column, those of sealed columns as they are.
        /// - Returns: The row's key, in the key's order; empty for a table without one.
        /// - Throws: `LockstepError.Code.misuse` for a table without sealed columns, a column that it has not, and a key
        ///   that is missing; `LockstepError.Code.typeMismatch` for a value that is not of its column's type; the errors
        ///   of ``query(_:_:)``.
        @discardableResult
        public func insert(_ table: String, _ values: [String: Value]) throws -> [Value] {
            let names = values.keys.sorted()
            return try insert(table, names, [names.map { values[$0] ?? .null }])[0]
        }

        /// Inserts rows as ``insert(_:_:)`` does, without waiting for the server's answer to each. Outside a transaction, each
        /// group of some hundred rows is a transaction.
        /// - Parameters:
        ///   - table: The table.
        ///   - columns: The columns that get values.
        ///   - rows: The values of each row, in the order of the columns.
        /// - Returns: The rows' keys.
        /// - Throws: As ``insert(_:_:)``, for the first row that fails.
        @discardableResult
        public func insert(
            _ table: String, _ columns: [String], _ rows: [[Value]]
        ) throws -> [[Value]] {
            try fields?.look(self)
            let writing = try ServerWriting(table, fields)
            guard rows.allSatisfy({ $0.count == columns.count }) else {
                throw LockstepError(
                    .misuse, "a row has another number of values than there are columns")
            }
            guard let first = rows.first else { return [] }
            let isKeyGiven =
                try writing.key(among: Array(zip(columns, first).map { ($0, $1) })) != nil
            var keys: [[Value]] = []
            var parameters: [[ServerParameter]] = []
            var names: [String] = []
            for row in rows {
                var values = zip(columns, row).map { (name: $0, value: $1) }
                if !isKeyGiven, writing.bindsToRow {
                    values.append(try nextKey(writing))
                }
                let key = try writing.key(among: values) ?? []
                let assignments = try writing.assignments(values, key)
                names = assignments.map(\.name)
                parameters.append(assignments.map(\.parameter))
                keys.append(key)
            }
            let overriding = writing.table.details.contains(where: \.isAlwaysIdentity)
            let text = writing.insertion(names, overriding: overriding)
            guard let statement = try fields?.prepared(text, self) else { return [] }
            if parameters.count == 1 {
                _ = try session.run(prepared: statement.name, parameters[0])
            } else {
                try statement.executeAll(parameters)
            }
            return keys
        }

        /// Changes the row with this key, and seals what is to be sealed.
        /// - Parameters:
        ///   - table: A table with sealed columns.
        ///   - key: The values of the row's key, in the key's order.
        ///   - values: The new values by column. The key is none of them: cells are sealed to it.
        /// - Returns: Whether there was such a row.
        /// - Throws: As ``insert(_:_:)``; `LockstepError.Code.misuse` for a new key.
        @discardableResult
        public func update(
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
                    hint: "insert a row with the new key, then delete this one",
                    context: .init(table: table))
            }
            guard !values.isEmpty else {
                throw LockstepError(.misuse, "an update of \(table) has no values")
            }
            let sorted = values.keys.sorted().map { (name: $0, value: values[$0] ?? .null) }
            let assignments = try writing.assignments(sorted, key)
            var parameters = assignments.map(\.parameter)
            for (name, value) in zip(names, key) {
                parameters.append(try writing.parameter(name, value))
            }
            let text = writing.update(assignments.map(\.name))
            guard let statement = try fields?.prepared(text, self) else { return false }
            return try session.run(prepared: statement.name, parameters).affected > 0
        }

        /// A number from the key's sequence.
        private func nextKey(_ writing: ServerWriting) throws -> (name: String, value: Value) {
            let table = writing.table
            guard let fields, case .row(let column) = table.shape.key,
                let sequence = table.detail(column.name)?.sequence
            else {
                throw LockstepError(
                    .misuse,
                    "a row of \(table.shape.name) needs its key before its cells are sealed: \(writing.keyNames.joined(separator: ", "))",
                    hint: "pass the key with the other values",
                    context: .init(table: table.shape.name))
            }
            if fields.reserved[table.oid]?.isEmpty ?? true {
                let numbers = try query(
                    """
                    SELECT pg_catalog.nextval(\(sequence)::regclass)
                    FROM pg_catalog.generate_series(1, \(Self.reservation)::int4)
                    """
                ) { try $0[0] as Int64 }
                fields.reserved[table.oid] = numbers[...]
            }
            guard let number = fields.reserved[table.oid]?.popFirst() else {
                throw LockstepError(.sqlFailed, "the sequence \(sequence) gave no number")
            }
            return (column.name, .integer(number))
        }

        private static let reservation = 64
    }
#endif
