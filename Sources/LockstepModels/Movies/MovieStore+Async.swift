internal import Lockstep

/// The same without blocking an actor. Cancelling the task interrupts a call, and nothing of it remains.
extension MovieStore {
    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func allByYear() async throws -> [Movie] { try await reading { try MovieSQL.all($0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func movie(_ id: Int64) async throws -> Movie? {
        try await reading { try MovieSQL.film(id, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func movies(inCategory category: String, after year: Int? = nil) async throws -> [Movie] {
        try await reading { try MovieSQL.films(inCategory: category, after: year, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func movies(titled title: String) async throws -> [Movie] {
        try await reading { try MovieSQL.films(titled: title, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func count() async throws -> Int { try await reading { try MovieSQL.count($0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func insert(_ movie: Movie) async throws -> Int64 {
        try await writing { try MovieSQL.insert(movie, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func update(_ movie: Movie) async throws -> Bool {
        try await writing { try MovieSQL.update(movie, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func rate(_ id: Int64, isWatched: Bool, likes: Int) async throws -> Bool {
        try await writing { try MovieSQL.rate(id, isWatched: isWatched, likes: likes, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func delete(_ id: Int64) async throws -> Bool {
        try await writing { try MovieSQL.delete(id, $0) }
    }
}
