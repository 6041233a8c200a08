/// A blind index of several columns of one row together, for look-ups by all of them at once.
///
/// The program keeps the tokens in a column of its own, which is no secret, and with an index of SQLite's on it:
///
///     let both = try CompoundIndex(of: "person", [("name", .casefold), ("born", .exact)])
///     try db.execute("UPDATE person_open SET name_born = \(db.token(of: both))")
///     let found = try db.matching(both, tokens: "name_born", [.text("weiß"), .text("1908-02-25")])
///     try db.query("SELECT id FROM person_open WHERE \(found)") { row in try row[0] as Int }
///
/// A statement that changes one of the columns does not change the token: the program's own SQL does, as above. So it
/// does after a new index key, and after `reseal` has given the first column an identity.
public struct CompoundIndex: Sendable, Hashable {
    /// A column of the index.
    public struct Part: Sendable, Hashable {
        /// The column's name.
        @Exact public private(set) var column: String
        /// The form in which its values are compared.
        public let normaliser: Normaliser
    }

    /// The table of the columns.
    @Exact public private(set) var table: String
    /// Its columns, in order. The first one is sealed: the key of the tokens belongs to it.
    public let parts: [Part]
    /// Distinguishes it from other indexes that begin with the same column.
    public let number: UInt32
    /// The length of its tokens: 1 to 63 bits, or 128 or 256 for a UNIQUE column of tokens.
    public let bits: Int

    /// An index of 2 to 16 columns.
    /// - Throws: ``LockstepError/Code/misuse`` for another number of columns or a length that tokens cannot have.
    public init(
        of table: String, _ parts: [(column: String, normaliser: Normaliser)], number: UInt32 = 1,
        bits: Int = SealedIndex.Request.defaultBits
    ) throws(LockstepError) {
        guard parts.count > 1 else {
            throw LockstepError(
                .misuse, "an index of several columns needs two or more, not \(parts.count)",
                hint: "seal the column with an index of its own instead")
        }
        // Checks the rest.
        _ = try BlindIndex(column: 1, number: number, parts.map(\.normaliser), bits: bits, keyVersion: 1)
        self.table = table
        self.parts = parts.map { Part(column: $0.column, normaliser: $0.normaliser) }
        self.number = number
        self.bits = bits
    }
}

extension Connection {
    /// SQL for the token of several values together. It works only on this connection, like
    /// ``opening(_:of:cell:key:)``.
    /// - Parameters:
    ///   - index: The index.
    ///   - values: SQL for the values, in the order of the index's columns; without any, the columns of the row of the
    ///     table's readable view.
    /// - Throws: ``LockstepError/Code/keyUnavailable``; ``LockstepError/Code/misuse`` for another number of values.
    public func token(of index: CompoundIndex, values: SQL...) throws -> SQL {
        let (capability, access, view) = try compoundCall(index)
        let given = values.isEmpty ? index.parts.map { Self.inView(view, $0.column) } : values
        guard given.count == index.parts.count else {
            throw LockstepError(.misuse, "the index has \(counted(index.parts.count, "value")), not \(given.count)")
        }
        let place = Int64(try access.place(of: index))
        return "lockstep_compound(\(capability), \(place)\(Self.list(given)))"
    }

    /// A condition for `WHERE`, on the readable view of the table: rows whose values are all equal to these, as the
    /// index's normalisers compare them. Rows that only share the token by chance are opened and excluded.
    /// - Parameters:
    ///   - index: The index.
    ///   - tokens: The column of the table that holds its tokens.
    ///   - values: The values, in the order of the index's columns.
    ///   - alias: The view's alias in the query, if it has one.
    /// - Throws: ``LockstepError/Code/keyUnavailable``; ``LockstepError/Code/misuse`` for another number of values, or
    ///   for one without an entry, such as NULL.
    public func matching(
        _ index: CompoundIndex, tokens: String, _ values: [Value], as alias: String? = nil
    ) throws -> SQL {
        let (capability, access, name) = try compoundCall(index)
        guard let token = try access.compoundToken(index, values) else {
            throw LockstepError(
                .misuse, "one of the values has no entry in the index of \(index.table)",
                hint: "NULL has none: use `IS NULL`, which needs no key", context: .init(table: index.table))
        }
        let view = alias ?? name
        let place = Int64(try access.place(of: index))
        let stored = Self.list(index.parts.map { Self.inView(view, $0.column) })
        let sought = Self.list(values.map { "\($0)" })
        return
            "(\(Self.inView(view, tokens)) = \(token) AND lockstep_same_all(\(capability), \(place)\(stored)\(sought)))"
    }

    private func compoundCall(
        _ index: CompoundIndex
    ) throws(LockstepError) -> (capability: [UInt8], access: SealedColumnAccess, view: String) {
        let (capability, access) = try cellCall(index.parts[0].column, of: index.table)
        return (capability, access, DecryptingViews.name(of: access.column.table))
    }

    private static func inView(_ view: String, _ column: String) -> SQL {
        SQL(verbatim: "\(SQLTokens.quote(view)).\(SQLTokens.quote(column))")
    }

    private static func list(_ parts: [SQL]) -> SQL {
        var sql: SQL = ""
        for part in parts { sql = "\(sql), \(part)" }
        return sql
    }
}

extension SealedColumnAccess {
    /// The place by which calls name an index of several values.
    func place(of index: CompoundIndex) throws(LockstepError) -> Int {
        if let place = compounds.firstIndex(where: { $0.index == index }) { return place }
        compounds.append((index, try hasher(of: index)))
        return compounds.count - 1
    }

    func hasher(of index: CompoundIndex) throws(LockstepError) -> BlindIndexHasher {
        try BlindIndexHasher(
            BlindIndex(
                column: column.id, identity: column.identity, number: index.number,
                index.parts.map(\.normaliser), bits: index.bits, keyVersion: keys.activeIndexVersion
            ),
            keys)
    }

    private func compound(_ call: borrowing FunctionCall) throws(LockstepError) -> BlindIndexHasher {
        guard call.kind(1) == .integer, let place = Int(exactly: call.integer(1)), compounds.indices.contains(place)
        else {
            throw LockstepError(
                .misuse, "\(title) has no such index of several values",
                hint: "take the call's SQL from Connection.token(of:values:)", context: column.context)
        }
        return compounds[place].hasher
    }

    /// The token of values to look up.
    func compoundToken(_ index: CompoundIndex, _ values: [Value]) throws(LockstepError) -> Value? {
        try compounds[place(of: index)].hasher.token(values)
    }

    /// Returns to SQL the token of the values from argument 2 on.
    func setCompoundToken(_ call: borrowing FunctionCall) throws(LockstepError) {
        let hasher = try compound(call)
        switch try hasher.token(values(call, 2..<call.count)) {
        case .integer(let number): call.setResult(number)
        case .blob(let bytes): call.setResult(blob: bytes.span)
        default: return
        }
    }

    /// Returns to SQL whether the values from argument 2 on, the first half of them and the second, are equal to such
    /// an index.
    func setCompoundEquality(_ call: borrowing FunctionCall) throws(LockstepError) {
        let index = try compound(call).index
        let middle = 2 + (call.count - 2) / 2
        guard let one = try index.message(values(call, 2..<middle)),
            let other = try index.message(values(call, middle..<call.count))
        else { return }
        call.setResult(one == other)
    }

    private func values(
        _ call: borrowing FunctionCall, _ places: Range<Int>
    ) throws(LockstepError) -> [Value] {
        var values: [Value] = []
        for place in places {
            guard try !isStandIn(call, place) else { throw tooLong }
            values.append(try call.copy(ofArgument: place))
        }
        return values
    }
}
