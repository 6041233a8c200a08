/// Values of ``Record`` types as rows, each call in a transaction of its own.
///
///     try await store.insert(Film(title: "Metropolis", year: 1927))
///
/// ``Connection`` has the same for several changes in one transaction.
extension Store {
    /// Inserts a record, and returns the row as it is stored: with its number, if the key is nil and an INTEGER PRIMARY
    /// KEY.
    /// - Throws: The errors of ``Connection/insert(_:)`` and of a write.
    @discardableResult
    public func insert<R: Record>(_ record: R) async throws -> R {
        try await write { db in try db.insert(record) }
    }

    /// Inserts records, all or none, and reads nothing back: the fast way to insert many.
    /// - Throws: The errors of ``Connection/insert(all:)`` and of a write.
    public func insert<R: Record>(all records: [R]) async throws {
        try await write { db in try db.insert(all: records) }
    }

    /// Updates the row with the record's key.
    /// - Throws: ``LockstepError/Code/rowMissing`` if there is no such row; the errors of ``Connection/update(_:)`` and
    ///   of a write.
    public func update<R: Record>(_ record: R) async throws {
        try await write { db in try db.update(record) }
    }

    /// Updates the row with the record's key, or inserts the record if there is none.
    /// - Throws: The errors of ``Connection/upsert(_:)`` and of a write.
    public func upsert<R: Record>(_ record: R) async throws {
        try await write { db in try db.upsert(record) }
    }

    /// Inserts a record whose key is nil, and updates or inserts any other; returns the row as it is stored.
    /// - Throws: The errors of ``Connection/save(_:)`` and of a write.
    @discardableResult
    public func save<R: Record>(_ record: R) async throws -> R {
        try await write { db in try db.save(record) }
    }

    /// Deletes the row with the record's key, and returns whether there was one.
    /// - Throws: The errors of ``Connection/delete(_:)`` and of a write.
    @discardableResult
    public func delete<R: Record>(_ record: R) async throws -> Bool {
        try await write { db in try db.delete(record) }
    }

    /// Updates the columns in which a record differs from an earlier value of it, and returns whether there are any.
    /// - Throws: The errors of ``Connection/updateChanges(_:from:)`` and of a write.
    @discardableResult
    public func updateChanges<R: Record>(_ record: R, from earlier: R) async throws -> Bool {
        try await write { db in try db.updateChanges(record, from: earlier) }
    }
}
