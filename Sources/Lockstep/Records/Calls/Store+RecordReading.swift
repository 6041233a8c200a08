/// Rows of ``Record`` types by conditions, each call in a transaction of its own.
///
///     let old = try await store.all(Film.self, where: { $0.year < 1970 }, orderBy: { [$0.title.ascending] })
///
/// ``Connection`` has the same for several calls in one transaction.
extension Store {
    /// The rows that satisfy a condition, or all.
    /// - Parameters:
    ///   - type: The record type.
    ///   - condition: The condition over the type's columns.
    ///   - order: The columns by which the rows are ordered. Without any their order is not defined.
    ///   - limit: The largest number of rows.
    ///   - offset: How many rows to leave out before the first. SQLite reads them all the same: for page after page
    ///     ``page(_:where:orderBy:limit:after:)`` costs less, and no row is missed when others are deleted meanwhile.
    /// - Throws: The errors of ``Connection/all(_:where:orderBy:limit:offset:)`` and of a read.
    public func all<R: Record>(
        _ type: R.Type, where condition: ((Columns<R>) -> Condition<R>)? = nil,
        orderBy order: ((Columns<R>) -> [Ordering<R>])? = nil, limit: Int? = nil,
        offset: Int = 0
    ) async throws -> [R] {
        let query = RecordQuery(condition, orderBy: order, limit: limit, offset: offset)
        return try await read { db in try query.all(db) }
    }

    /// The first of the rows that satisfy a condition, in this order; nil if there is none.
    /// - Throws: The errors of ``Connection/all(_:where:orderBy:limit:offset:)`` and of a read.
    public func first<R: Record>(
        _ type: R.Type, where condition: ((Columns<R>) -> Condition<R>)? = nil,
        orderBy order: ((Columns<R>) -> [Ordering<R>])? = nil
    ) async throws -> R? {
        let query = RecordQuery(condition, orderBy: order, limit: 1)
        return try await read { db in try query.first(db) }
    }

    /// The next rows that satisfy a condition, in this order and then by their key, after a row that an earlier page
    /// ended with.
    ///
    ///     var page = try await store.page(Film.self, orderBy: { [$0.year.descending] }, limit: 20)
    ///     while let last = page.last {
    ///         page = try await store.page(Film.self, orderBy: { [$0.year.descending] }, limit: 20, after: last)
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
    ///   ``Connection/all(_:where:orderBy:limit:offset:)`` and of a read.
    public func page<R: Record>(
        _ type: R.Type, where condition: ((Columns<R>) -> Condition<R>)? = nil,
        orderBy order: ((Columns<R>) -> [Ordering<R>])? = nil, limit: Int, after last: R? = nil
    ) async throws -> [R] {
        let query = try RecordQuery(pageOf: limit, condition, orderBy: order, after: last)
        return try await read { db in try query.all(db) }
    }

    /// The row with this key, whose values are in the order of ``Record/primaryKey``; nil if there is none.
    /// - Throws: The errors of ``Connection/find(_:_:)`` and of a read.
    public func find<R: Record, each Key: Encodable & Sendable>(
        _ type: R.Type, _ key: repeat each Key
    ) async throws -> R? {
        let values = try R.key(repeat each key)
        return try await read { db in try db.found(type, values) }
    }

    /// How many rows satisfy a condition, or how many there are.
    /// - Throws: The errors of ``Connection/all(_:where:orderBy:limit:offset:)`` and of a read.
    public func count<R: Record>(
        _ type: R.Type, where condition: ((Columns<R>) -> Condition<R>)? = nil
    ) async throws -> Int {
        let query = RecordQuery(condition)
        return try await read { db in try query.count(db) }
    }

    /// Deletes the rows that satisfy a condition, and returns how many there were.
    /// - Throws: The errors of ``Connection/delete(_:where:)`` and of a write.
    @discardableResult
    public func delete<R: Record>(
        _ type: R.Type, where condition: (Columns<R>) -> Condition<R>
    ) async throws -> Int {
        let query = RecordQuery(where: condition)
        return try await write { db in try query.delete(db) }
    }

    /// Sets columns of the rows that satisfy a condition, and returns how many there are.
    ///
    ///     try await store.update(Film.self, set: { [$0.likes += 1] }, where: { $0.id == 42 })
    ///
    /// - Throws: The errors of ``Connection/update(_:set:where:)`` and of a write.
    @discardableResult
    public func update<R: Record>(
        _ type: R.Type, set assignments: (Columns<R>) -> [Assignment<R>], where condition: (Columns<R>) -> Condition<R>
    ) async throws -> Int {
        let (query, list) = (RecordQuery(where: condition), assignments(Columns()))
        return try await write { db in try query.update(list, db) }
    }
}
