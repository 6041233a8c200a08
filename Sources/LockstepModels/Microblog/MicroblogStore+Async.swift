/// The same without blocking an actor. Cancelling the task interrupts a call, and nothing of it remains.
extension MicroblogStore {
    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    @discardableResult
    public func add(_ user: User) async throws -> Int64 {
        try await writing { connection in try MicroblogWork.add(user, connection) }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    public func user(_ id: Int64) async throws -> User? {
        try await reading { connection in try MicroblogQueries.user(id, connection) }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    public func users() async throws -> [User] {
        try await reading { connection in try MicroblogQueries.users(connection) }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    public func users(whoWrote word: String) async throws -> [User] {
        try await reading { connection in try MicroblogQueries.users(whoWrote: word, connection) }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    public func update(_ user: User) async throws {
        try await writing { connection in try MicroblogWork.update(user, connection) }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    @discardableResult
    public func removeUser(_ id: Int64) async throws -> Bool {
        try await writing { connection in try MicroblogWork.removeUser(id, connection) }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    @discardableResult
    public func add(_ status: Status) async throws -> Int64 {
        try await add([status])[0]
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    @discardableResult
    public func add(_ statuses: [Status]) async throws -> [Int64] {
        try await writing { connection in try MicroblogWork.add(statuses, connection) }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    public func status(_ id: Int64) async throws -> TimelineEntry? {
        try await reading { connection in try MicroblogQueries.status(id, connection) }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    public func count() async throws -> Int {
        try await reading { connection in try MicroblogQueries.count(connection) }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    public func update(_ status: Status) async throws {
        try await writing { connection in try MicroblogWork.update(status, connection) }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    @discardableResult
    public func removeStatus(_ id: Int64) async throws -> Bool {
        try await writing { connection in try MicroblogWork.removeStatus(id, connection) }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    public func timeline(
        _ limit: Int = defaultLimit, before cursor: TimelineCursor? = nil
    ) async throws -> [TimelineEntry] {
        try await reading { connection in
            try MicroblogQueries.timeline(limit, before: cursor, connection)
        }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    public func statuses(
        ofUserNamed name: String, _ limit: Int = defaultLimit
    ) async throws -> [TimelineEntry] {
        try await reading { connection in
            try MicroblogQueries.statuses(ofUserNamed: name, limit, connection)
        }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    public func search(_ word: String, _ limit: Int = defaultLimit) async throws -> [TimelineEntry] {
        try await reading { connection in try MicroblogQueries.search(word, limit, connection) }
    }

    /// As its blocking form, without blocking.
    /// - Throws: as that; `CancellationError`.
    @discardableResult
    public func save(_ changes: MicroblogChanges) async throws -> MicroblogAdditions {
        try await writing { connection in try changes.apply(to: connection) }
    }
}
