internal import Lockstep

extension ServerSQL {
    /// A condition on a sealed column, which a blind index answers.
    struct Lookup: Sendable {
        /// Where in the text the condition stands, in UTF-8 bytes.
        let offset: Int
        /// The number of its parameter, from 1.
        let parameter: Int
        let title: String
        let alias: String?
        /// Nil if each run of the prepared statement has a value of its own.
        let value: Value?
        let normaliser: Normaliser?
    }

    static let keysMissing = LockstepError(
        .keyUnavailable, "a look-up in a sealed column needs the keys of its dataset",
        hint: "open the connection with them: ServerOptions.fieldKeys")

    /// The statement as it is sent: with tokens in place of the values that are looked up.
    /// - Throws: `LockstepError.Code.misuse` for a column that is not sealed, or has no index for the value, and for a
    ///   statement in which rows that only share the token could not be left out afterwards.
    func resolved(_ fields: ServerFields?) throws(LockstepError) -> ServerSQL {
        guard !lookups.isEmpty else { return self }
        guard let fields else { throw Self.keysMissing }
        try requireConjunction()
        var parameters = parameters
        var conditions: [Lookup.Condition] = []
        for lookup in lookups {
            guard let value = lookup.value else {
                throw LockstepError(
                    .misuse, "a look-up has no value", hint: "write equals: and the value, or prepare the statement")
            }
            let condition = try lookup.condition(fields.column(lookup.title), value)
            conditions.append(condition)
            parameters[lookup.parameter - 1] = condition.token.serverParameter
        }
        return ServerSQL(text(with: conditions), parameters)
    }

    /// The text with the conditions of its look-ups, in their order.
    func text(with conditions: [Lookup.Condition]) -> String {
        var bytes = Array(text.utf8)
        for (lookup, condition) in zip(lookups, conditions).reversed() {
            bytes.insert(contentsOf: condition.sql.utf8, at: lookup.offset)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Different values can share a token. The rows that only do so are left out once the server has answered: the
    /// statement must be one in which leaving out rows of the result is the same as a stricter condition.
    func requireConjunction() throws(LockstepError) {
        let clause = LookupClause(text)
        for lookup in lookups {
            do throws(LookupClause.Obstacle) {
                try clause.requireConjunct(at: lookup.offset)
            } catch {
                throw LockstepError(
                    .misuse,
                    "a look-up in a sealed column stands beside AND alone, in the WHERE of one SELECT: \(error.what)",
                    hint: "look up the keys first, then use them in another statement",
                    context: .init(column: lookup.title))
            }
        }
    }

    /// The error for a look-up whose rows nobody reads.
    static let unread = LockstepError(
        .misuse, "the rows of a look-up in a sealed column are compared with its value", hint: "read them with `query`")
}

extension ServerSQL.Lookup {
    /// The comparison with a token.
    struct Condition {
        /// The column that holds the tokens; empty if no entry of an index fits the value.
        let index: String
        let sql: String
        let token: Value
    }

    /// The comparison with the value's token; NULL is no token, so that nothing is found.
    func condition(
        _ column: ServerColumn, _ value: Value
    ) throws(LockstepError) -> Condition {
        guard value != .null else {
            throw LockstepError(
                .misuse, "NULL has no entry in a blind index of \(column.column.title)",
                hint: "use `IS NULL`, which needs no key", context: column.column.context)
        }
        guard let (index, token) = try column.lookup(value, under: normaliser) else {
            try requireIndex(of: column)
            return Condition(
                index: "", sql: "$\(parameter)::text IS NOT NULL", token: .null)
        }
        let table = alias ?? column.table.shape.name
        let name = "\(SQLTokens.quote(table)).\(SQLTokens.quote(index.name))"
        return Condition(
            index: index.name, sql: "\(name) OPERATOR(pg_catalog.=) $\(parameter)",
            token: token)
    }

    /// - Throws: `LockstepError.Code.misuse` for a column without an index for the look-up.
    func requireIndex(of column: ServerColumn) throws(LockstepError) {
        let indexes = column.column.indexes
        let fit = indexes.contains { index in
            normaliser == nil || normaliser == index.normaliser
        }
        guard fit else {
            let all = indexes.map(\.normaliser.spelling).joined(separator: ", ")
            throw LockstepError(
                .misuse,
                "\(column.column.title) has no blind index for that look-up",
                hint: all.isEmpty
                    ? "it has no blind index; protect it with one" : "it has \(all)",
                context: column.column.context)
        }
    }

    /// Whether a row of the result is one that was looked for.
    struct Check {
        let place: Int
        private let wanted: Value
        private let index: BlindIndex?

        fileprivate init(place: Int, _ wanted: Value, _ index: BlindIndex?) {
            (self.place, self.wanted, self.index) = (place, wanted, index)
        }

        func holds(_ value: Value) throws(LockstepError) -> Bool {
            guard value != .null else { return false }
            guard let index else { return value == wanted }
            guard let own = try? index.message([value]) else { return false }
            return try own == index.message([wanted])
        }
    }

    /// - Throws: `LockstepError.Code.misuse` if the result does not have the column that is compared.
    func check(
        _ column: ServerColumn, _ value: Value, _ places: SealedResult.Places
    ) throws(LockstepError) -> Check {
        guard let place = places.place(of: column) else {
            throw LockstepError(
                .misuse,
                "rows that only share a token with the value are left out by comparing \(column.column.title), "
                    + "which is not in the result once",
                hint:
                    "add \(column.column.title), and its row's key, to the columns that you select",
                context: column.column.context)
        }
        let index = normaliser.flatMap { normaliser in
            column.column.indexes.first { $0.normaliser == normaliser }?.index
        }
        return Check(place: place, value, index)
    }
}
