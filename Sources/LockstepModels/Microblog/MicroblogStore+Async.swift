/// The same without blocking an actor. Cancelling the task interrupts a call, and nothing of it remains.
extension MicroblogStore {
    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func add(_ user: User) async throws -> Int64 {
        try await writing { try MicroblogWork.add(user, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func user(_ id: Int64) async throws -> User? {
        try await reading { try MicroblogQueries.user(id, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func users() async throws -> [User] {
        try await reading { try MicroblogQueries.users($0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func users(named name: String) async throws -> [User] {
        try await reading { try MicroblogQueries.users(named: name, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func removeUsers(named name: String) async throws -> Int {
        try await writing { try MicroblogWork.removeUsers(named: name, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func users(whoWrote word: String) async throws -> [User] {
        try await reading { try MicroblogQueries.users(whoWrote: word, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func update(_ user: User) async throws {
        try await writing { try MicroblogWork.update(user, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func removeUser(_ id: Int64) async throws -> Bool {
        try await writing { try MicroblogWork.removeUser(id, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func add(_ status: Status) async throws -> Int64 {
        try await add([status])[0]
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func add(_ statuses: [Status]) async throws -> [Int64] {
        try await writing { try MicroblogWork.add(statuses, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func status(_ id: Int64) async throws -> TimelineEntry? {
        try await reading { try MicroblogQueries.status(id, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func count() async throws -> Int { try await reading { try MicroblogQueries.count($0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func update(_ status: Status) async throws {
        try await writing { try MicroblogWork.update(status, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func removeStatus(_ id: Int64) async throws -> Bool {
        try await writing { try MicroblogWork.removeStatus(id, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func timeline(
        _ limit: Int = defaultLimit, before cursor: TimelineCursor? = nil
    ) async throws -> [TimelineEntry] {
        try await reading { try MicroblogQueries.timeline(limit, before: cursor, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func statuses(
        ofUserNamed name: String, _ limit: Int = defaultLimit
    ) async throws -> [TimelineEntry] {
        try await reading { try MicroblogQueries.statuses(ofUserNamed: name, limit, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func search(_ word: String, _ limit: Int = defaultLimit) async throws -> [TimelineEntry] {
        try await reading { try MicroblogQueries.search(word, limit, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    @discardableResult
    public func save(_ changes: MicroblogChanges) async throws -> MicroblogAdditions {
        try await writing { try changes.apply(to: $0) }
    }
}
