/// Rows of ``Record`` types by conditions.
///
///     let old = try db.all(Film.self, where: { $0.year < 1970 }, orderBy: { [$0.title.ascending] }, limit: 20)
///
/// A table with sealed columns is read and written through its readable view; see ``Condition`` for what its blind
/// indexes answer.
extension Connection {
    /// The rows that satisfy a condition, or all.
    /// - Parameters:
    ///   - type: The record type.
    ///   - condition: The condition over the type's columns.
    ///   - order: The columns by which the rows are ordered. Without any their order is not defined.
    ///   - limit: The largest number of rows.
    ///   - offset: How many rows to leave out before the first. SQLite reads them all the same: for page after page
    ///     ``page(_:where:orderBy:limit:after:)`` costs less, and no row is missed when others are deleted meanwhile.
    /// - Throws: ``LockstepError/Code/recordMisfit`` for a property whose column is not known, or a missing table or
    ///   column; ``LockstepError/Code/bindMismatch`` for a value that its column cannot store;
    ///   ``LockstepError/Code/misuse`` for a condition on a sealed column that no blind index answers;
    ///   ``LockstepError/Code/limitExceeded`` for an order by a sealed column that would open more rows than
    ///   ``ConnectionOptions/maximumOpenedRows``; ``LockstepError/Code/keyUnavailable``; the errors of ``prepare(_:)``,
    ///   ``Statement/run(_:)`` and ``Row/decode(_:)``.
    public func all<R: Record>(
        _ type: R.Type, where condition: ((Columns<R>) -> Condition<R>)? = nil,
        orderBy order: ((Columns<R>) -> [Ordering<R>])? = nil, limit: Int? = nil,
        offset: Int = 0
    ) throws -> [R] {
        try RecordQuery(condition, orderBy: order, limit: limit, offset: offset).all(self)
    }

    /// The first of the rows that satisfy a condition, in this order; nil if there is none.
    /// - Throws: The errors of ``all(_:where:orderBy:limit:offset:)``.
    public func first<R: Record>(
        _ type: R.Type, where condition: ((Columns<R>) -> Condition<R>)? = nil,
        orderBy order: ((Columns<R>) -> [Ordering<R>])? = nil
    ) throws -> R? {
        try RecordQuery(condition, orderBy: order, limit: 1).first(self)
    }

    /// The next rows that satisfy a condition, in this order and then by their key, after a row that an earlier page
    /// ended with.
    ///
    ///     var page = try db.page(Film.self, orderBy: { [$0.year.descending] }, limit: 20)
    ///     while let last = page.last {
    ///         page = try db.page(Film.self, orderBy: { [$0.year.descending] }, limit: 20, after: last)
    ///     }
    ///
    /// An index on the columns of the order finds the first row of each page. Rows that others insert or delete
    /// meanwhile neither repeat nor hide rows that stay.
    /// - Parameters:
    ///   - type: The record type, with a key.
    ///   - condition: The condition over the type's columns.
    ///   - order: The columns by which the rows are ordered; the key follows by itself.
    ///   - limit: The largest number of rows.
    ///   - last: The last row of the page before; nil for the first page.
    /// - Throws: ``LockstepError/Code/misuse`` if the order has a sealed column; the errors of
    ///   ``all(_:where:orderBy:limit:offset:)``.
    public func page<R: Record>(
        _ type: R.Type, where condition: ((Columns<R>) -> Condition<R>)? = nil,
        orderBy order: ((Columns<R>) -> [Ordering<R>])? = nil, limit: Int, after last: R? = nil
    ) throws -> [R] {
        try RecordQuery(pageOf: limit, condition, orderBy: order, after: last).all(self)
    }

    /// The row with this key, whose values are in the order of ``Record/primaryKey``; nil if there is none.
    /// - Throws: ``LockstepError/Code/misuse`` for another number of values than the key has columns; the errors of
    ///   ``all(_:where:orderBy:limit:offset:)``.
    public func find<R: Record, each Key: Encodable & Sendable>(
        _ type: R.Type, _ key: repeat each Key
    ) throws -> R? {
        try found(type, R.key(repeat each key))
    }

    /// How many rows satisfy a condition, or how many there are.
    /// - Throws: The errors of ``all(_:where:orderBy:limit:offset:)``.
    public func count<R: Record>(
        _ type: R.Type, where condition: ((Columns<R>) -> Condition<R>)? = nil
    ) throws -> Int {
        try RecordQuery(condition).count(self)
    }

    /// Deletes the rows that satisfy a condition, and returns how many there were.
    /// - Throws: The errors of ``all(_:where:orderBy:limit:offset:)``, and SQLite's, such as
    ///   ``LockstepError/Code/constraint``.
    @discardableResult
    public func delete<R: Record>(
        _ type: R.Type, where condition: (Columns<R>) -> Condition<R>
    ) throws -> Int {
        try RecordQuery(where: condition).delete(self)
    }

    /// Sets columns of the rows that satisfy a condition, and returns how many there are.
    ///
    ///     try db.update(Film.self, set: { [$0.likes += 1, $0.seen.set(to: true)] }, where: { $0.id == 42 })
    ///
    /// - Throws: ``LockstepError/Code/misuse`` if nothing is set; the errors of ``all(_:where:orderBy:limit:offset:)``,
    ///   and SQLite's, such as ``LockstepError/Code/constraint``.
    @discardableResult
    public func update<R: Record>(
        _ type: R.Type, set assignments: (Columns<R>) -> [Assignment<R>], where condition: (Columns<R>) -> Condition<R>
    ) throws -> Int {
        try RecordQuery(where: condition).update(assignments(Columns()), self)
    }
}

extension SQL.StringInterpolation {
    /// `\(Film.self)`: the name of the record's table, or of its readable view if it has sealed columns.
    ///
    /// The connection that prepares the SQL finds it: ``LockstepError/Code/keyUnavailable`` if it does not have the
    /// keys.
    public mutating func appendInterpolation<R: Record>(_ type: R.Type) {
        append(RecordName(table: R.table), SQLTokens.quote(R.table))
    }
}

private struct RecordName: NameOnConnection {
    let table: String

    func text(on connection: borrowing Connection) throws -> String {
        try connection.readable(table).text
    }
}
