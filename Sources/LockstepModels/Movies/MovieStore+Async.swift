internal import Lockstep

/// The same without blocking an actor. Cancelling the task interrupts a call, and nothing of it remains.
extension MovieStore {
    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func allByYear() async throws -> [Movie] {
        try await reading { connection in try MovieSQL.all(connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func movie(_ id: Int64) async throws -> Movie? {
        try await reading { connection in try MovieSQL.film(id, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func movies(inCategory category: String, after year: Int? = nil) async throws -> [Movie]
    {
        try await reading { connection in
            try MovieSQL.films(inCategory: category, after: year, connection)
        }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func movies(titled title: String) async throws -> [Movie] {
        try await reading { connection in try MovieSQL.films(titled: title, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func count() async throws -> Int {
        try await reading { connection in try MovieSQL.count(connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func insert(_ movie: Movie) async throws -> Int64 {
        try await writing { connection in try MovieSQL.insert(movie, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func rate(_ id: Int64, isWatched: Bool, likes: Int) async throws -> Bool {
        try await writing { connection in
            try MovieSQL.rate(id, isWatched: isWatched, likes: likes, connection)
        }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func delete(_ id: Int64) async throws -> Bool {
        try await writing { connection in try MovieSQL.delete(id, connection) }
    }
}
