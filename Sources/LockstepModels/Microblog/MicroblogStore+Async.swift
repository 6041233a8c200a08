/// The same without blocking an actor. Cancelling the task interrupts a call, and nothing of it remains.
extension MicroblogStore {
    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func add(_ user: User) async throws -> Int64 {
        try await writing { connection in try MicroblogWork.add(user, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func user(_ id: Int64) async throws -> User? {
        try await reading { connection in try MicroblogQueries.user(id, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func users() async throws -> [User] {
        try await reading { connection in try MicroblogQueries.users(connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func users(whoWrote word: String) async throws -> [User] {
        try await reading { connection in try MicroblogQueries.users(whoWrote: word, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func update(_ user: User) async throws {
        try await writing { connection in try MicroblogWork.update(user, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func removeUser(_ id: Int64) async throws -> Bool {
        try await writing { connection in try MicroblogWork.removeUser(id, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func add(_ status: Status) async throws -> Int64 {
        try await add([status])[0]
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func add(_ statuses: [Status]) async throws -> [Int64] {
        try await writing { connection in try MicroblogWork.add(statuses, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func status(_ id: Int64) async throws -> TimelineEntry? {
        try await reading { connection in try MicroblogQueries.status(id, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func count() async throws -> Int {
        try await reading { connection in try MicroblogQueries.count(connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func update(_ status: Status) async throws {
        try await writing { connection in try MicroblogWork.update(status, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func removeStatus(_ id: Int64) async throws -> Bool {
        try await writing { connection in try MicroblogWork.removeStatus(id, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func timeline(
        _ limit: Int = defaultLimit, before cursor: TimelineCursor? = nil
    ) async throws -> [TimelineEntry] {
        try await reading { connection in
            try MicroblogQueries.timeline(limit, before: cursor, connection)
        }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func statuses(
        ofUserNamed name: String, _ limit: Int = defaultLimit
    ) async throws -> [TimelineEntry] {
        try await reading { connection in
            try MicroblogQueries.statuses(ofUserNamed: name, limit, connection)
        }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func search(_ word: String, _ limit: Int = defaultLimit) async throws -> [TimelineEntry]
    {
        try await reading { connection in try MicroblogQueries.search(word, limit, connection) }
    }

    /// Like the blocking form, without blocking.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func save(_ changes: MicroblogChanges) async throws -> MicroblogAdditions {
        try await writing { connection in try changes.apply(to: connection) }
    }
}
