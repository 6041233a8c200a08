/// A condition on a sealed column that its blind indexes can answer.
public enum SealedMatch: Sendable {
    /// Values equal to this one. Any index that accepts its type works; ``Normaliser/exact`` is best.
    case equal(Value)
    /// Values that the normaliser makes equal to this one, such as another case under ``Normaliser/casefold``.
    case same(as: Value, under: Normaliser)
    /// Texts that begin with this text, ignoring case: needs an index `prefix-N` of at most that many characters.
    case prefix(String)
    /// Numbers from the first to the last, inclusive: needs an index `bucket-W`, and looks up each bucket in the range.
    case between(Int64, Int64)
}

extension Connection {
    /// The maximum number of buckets in one look-up; for more, opening all rows is faster.
    public static let maximumBuckets = 1000

    /// A condition for `WHERE`, on the readable view of a table with sealed columns, that uses a blind index:
    ///
    ///     let found = try db.matching("title", of: "film", .equal(.text("Casablanca")))
    ///     try db.query("SELECT year FROM film_open WHERE \(found)") { row in try row[0] as Int }
    ///
    /// Rows that only share the token by chance are opened and excluded.
    /// - Parameters:
    ///   - column: The sealed column.
    ///   - table: Its table.
    ///   - match: The condition.
    ///   - alias: The view's alias in the query, if it has one.
    /// - Throws: ``LockstepError/Code/misuse`` if no index of the column can answer the condition, or for NULL;
    ///   ``LockstepError/Code/keyUnavailable``.
    public func matching(
        _ column: String, of table: String, _ match: SealedMatch, as alias: String? = nil
    ) throws -> SQL {
        let (capability, open) = try cellCall(column, of: table)
        let view = alias ?? DecryptingViews.name(of: open.column.table)
        return try SealedLookup(capability: capability, column: open, view: view).condition(match)
    }
}

extension Connection {
    /// A condition for the rows whose value is one of these; see ``matching(_:of:_:as:)``.
    /// - Throws: The errors of ``matching(_:of:_:as:)``; ``LockstepError/Code/sqlFailed`` for more values than a
    ///   statement has parameters.
    func matching(_ column: String, of table: String, anyOf values: [Value]) throws -> SQL {
        let (capability, open) = try cellCall(column, of: table)
        let view = DecryptingViews.name(of: open.column.table)
        return try SealedLookup(capability: capability, column: open, view: view).condition(anyOf: values)
    }
}

/// Turns a match into SQL over tokens.
struct SealedLookup {
    /// The capability that a call for the column passes.
    let capability: [UInt8]
    let column: SealedColumnAccess
    /// The view's name in the query.
    let view: String

    private func inView(_ name: String) -> String {
        "\(SQLTokens.quote(view)).\(SQLTokens.quote(name))"
    }

    func condition(_ match: SealedMatch) throws(LockstepError) -> SQL {
        let value = inView(column.column.name)
        switch match {
        case .equal(let wanted):
            try requireEntry(wanted)
            guard let place = try best(for: wanted) else { throw noIndex("for that value") }
            return try tokens(place, [wanted], "\(verbatim: value) = \(wanted)")
        case .same(let wanted, let normaliser):
            try requireEntry(wanted)
            guard let place = column.place(of: normaliser) else {
                throw noIndex("under \(normaliser.spelling)")
            }
            let index = Int64(column.column.indexes[place].index.number)
            return try tokens(place, [wanted], "lockstep_same(\(capability), \(index), \(verbatim: value), \(wanted))")
        case .prefix(let text):
            let length = FoldedText.scalars(text).count
            guard let place = prefixPlace(atMost: length) else {
                throw noIndex("for a prefix of \(counted(length, "character"))")
            }
            return try tokens(
                place, [.text(text)], "lockstep_begins(\(verbatim: value), \(text))")
        case .between(let first, let last):
            return try buckets(first, last, value)
        }
    }

    /// The values that one index answers are looked up together: a chain of conditions would be too deep for SQLite.
    func condition(anyOf values: [Value]) throws(LockstepError) -> SQL {
        var places: [(place: Int, values: [Value])] = []
        for value in values {
            try requireEntry(value)
            guard let place = try best(for: value) else { throw noIndex("for that value") }
            if let known = places.firstIndex(where: { $0.place == place }) {
                places[known].values.append(value)
            } else {
                places.append((place, [value]))
            }
        }
        let stored = inView(column.column.name)
        var any: SQL = ""
        for (index, (place, values)) in places.enumerated() {
            let one = try tokens(place, values, "\(verbatim: stored) IN \(list: values)")
            any = index == 0 ? one : "\(any) OR \(one)"
        }
        return "(\(any))"
    }

    private func requireEntry(_ value: Value) throws(LockstepError) {
        guard value != .null else {
            throw LockstepError(
                .misuse, "NULL has no entry in a blind index of \(column.title)",
                hint: "use `IS NULL`, which needs no key", context: column.column.context)
        }
    }

    /// The index that leaves the fewest rows to open.
    private func best(for value: Value) throws(LockstepError) -> Int? {
        if let place = column.place(of: .exact) { return place }
        let indexes = column.column.indexes
        for place in indexes.indices.sorted(by: { indexes[$0].index.bits > indexes[$1].index.bits })
        where indexes[place].normaliser.accepts(value.tag) {
            if try column.token(place, of: value) != nil { return place }
        }
        return nil
    }

    private func prefixPlace(atMost length: Int) -> Int? {
        var best: (place: Int, length: Int)?
        for (place, index) in column.column.indexes.enumerated() {
            guard case .prefix(let count) = index.normaliser, count <= length,
                count > best?.length ?? 0
            else { continue }
            best = (place, count)
        }
        return best?.place
    }

    private func buckets(
        _ first: Int64, _ last: Int64, _ value: String
    ) throws(LockstepError) -> SQL {
        let place = column.column.indexes.firstIndex {
            if case .bucket = $0.normaliser { true } else { false }
        }
        guard let place, case .bucket(let width) = column.column.indexes[place].normaliser else {
            throw noIndex("for numbers")
        }
        guard first <= last else { return "0" }
        let start = first.floorDivided(by: width)
        let (count, overflow) = last.floorDivided(by: width).subtractingReportingOverflow(start)
        guard !overflow, count < Connection.maximumBuckets else {
            throw LockstepError(
                .misuse, "the range covers more than \(Connection.maximumBuckets) buckets of \(column.title)",
                hint: "use a smaller range, or an index with wider buckets", context: column.column.context)
        }
        // One number in each bucket: its first, or the first of the range.
        let sought = (0...count).map { step in
            Value.integer(step == 0 ? first : (start + step) * width)
        }
        return try tokens(place, sought, "\(verbatim: value) BETWEEN \(first) AND \(last)")
    }

    /// The rows with one of these tokens that also satisfy the check.
    private func tokens(
        _ place: Int, _ sought: [Value], _ check: SQL
    ) throws(LockstepError) -> SQL {
        var found: [Value] = []
        for value in sought {
            if let token = try column.token(place, of: value) { found.append(token) }
        }
        guard found.count <= Self.mostParameters else {
            return "(\(try rows(place, "IN \(Self.packed(found))")) AND \(check))"
        }
        let text = try column.lookupText(place, found.count, view) { () throws(LockstepError) in
            let places = repeatElement("?", count: found.count).joined(separator: ", ")
            return try rows(place, SQL(verbatim: "IN (\(places))")).text
        }
        return "(\(SQL(verbatim: text, values: found)) AND \(check))"
    }

    /// Up to so many tokens each have a parameter; more of them share one or two, since a statement has 32,766 and each
    /// value has one already.
    private static let mostParameters = 1000

    /// Many tokens of one kind as a subquery.
    private static func packed(_ tokens: [Value]) -> SQL {
        var numbers: [Int64] = []
        var bytes: [UInt8] = []
        for token in tokens {
            switch token {
            case .integer(let number): numbers.append(number)
            case .blob(let blob): bytes += blob
            case .null, .real, .text: break
            }
        }
        guard numbers.isEmpty else {
            let list = numbers.map(String.init).joined(separator: ",")
            return "(SELECT value FROM json_each(\("[\(list)]")))"
        }
        let width = bytes.count / max(tokens.count, 1)
        let starts = (0..<tokens.count).map { String(1 + $0 * width) }.joined(separator: ",")
        return "(SELECT substr(\(bytes), value, \(width)) FROM json_each(\("[\(starts)]")))"
    }

    /// The part that finds rows by tokens.
    private func rows(_ place: Int, _ tokens: SQL) throws(LockstepError) -> SQL {
        let table = SQLTokens.quote(column.column.table)
        let keys = column.key.columns.map(\.name)
        guard !keys.isEmpty else {
            throw LockstepError(
                .misuse, "\(column.column.table) has no primary key that identifies its rows",
                hint: "compare Connection.token(_:of:index:value:) with the index's own column",
                context: .init(table: column.column.table))
        }
        let key = keys.map(SQLTokens.quote).joined(separator: ", ")
        let keyInView = keys.map(inView).joined(separator: ", ")
        let token = SQLTokens.quote(column.column.indexes[place].name)
        return
            "(\(verbatim: keyInView)) IN (SELECT \(verbatim: key) FROM main.\(verbatim: table) WHERE \(verbatim: token) \(tokens))"
    }

    private func noIndex(_ what: String) -> LockstepError {
        let all = column.column.indexes.map(\.normaliser.spelling).joined(separator: ", ")
        return LockstepError(
            .misuse, "\(column.title) has no blind index \(what)",
            hint: all.isEmpty ? "it has no blind index; seal it with one" : "it has \(all)",
            context: column.column.context)
    }
}
