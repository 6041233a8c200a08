public import Lockstep

/// Users and their statuses. Works on the set `microblog` from version 2 on; search needs version 3.
///
/// Each call is one transaction. Any number of tasks can call at once: writes wait for each other.
public struct MicroblogStore: ModelStore {
    /// The migration set's name.
    public static let setName = "microblog"
    /// The default number of entries per page.
    public static let defaultLimit = 50

    /// The database that it works on.
    public let store: Store

    /// The microblog in `store`.
    public init(_ store: Store) { self.store = store }

    // MARK: Users

    /// Adds a user, whose key is ignored, and returns the new key.
    /// - Throws: The errors of every call; see ``ModelStore``.
    @discardableResult
    public func add(_ user: User) throws -> Int64 {
        try writing { try MicroblogWork.add(user, $0) }
    }

    /// The user with this key, or nil.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func user(_ id: Int64) throws -> User? {
        try reading { try MicroblogQueries.user(id, $0) }
    }

    /// All users by name.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func users() throws -> [User] { try reading { try MicroblogQueries.users($0) } }

    /// The users with exactly this name, oldest first; names need not be unique.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func users(named name: String) throws -> [User] {
        try reading { try MicroblogQueries.users(named: name, $0) }
    }

    /// Users, by name, who wrote a status that contains a word, or several consecutive words. Case and accents do not
    /// count.
    /// - Parameter word: The search term; nothing in it is an operator.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func users(whoWrote word: String) throws -> [User] {
        try reading { try MicroblogQueries.users(whoWrote: word, $0) }
    }

    /// Changes the user with this key.
    /// - Throws: `LockstepError.Code.notFound`.
    public func update(_ user: User) throws { try writing { try MicroblogWork.update(user, $0) } }

    /// Changes the user with this key as they are now: nobody writes them between the reading and the writing.
    /// - Returns: Whether there is such a user.
    /// - Throws: The errors of `change`, and then the user stays as they are.
    package func changeUser(
        _ id: Int64, _ change: (inout User) throws -> Void
    ) throws -> Bool {
        try writing { connection in
            guard var user = try MicroblogQueries.user(id, connection) else { return false }
            try change(&user)
            try MicroblogWork.update(user, connection)
            return true
        }
    }

    /// Removes a user and the user's statuses.
    /// - Returns: Whether there was one.
    /// - Throws: The errors of every call; see ``ModelStore``.
    @discardableResult
    public func removeUser(_ id: Int64) throws -> Bool {
        try writing { try MicroblogWork.removeUser(id, $0) }
    }

    /// Removes the users with exactly this name, and their statuses.
    /// - Returns: How many there were.
    /// - Throws: The errors of every call; see ``ModelStore``.
    @discardableResult
    public func removeUsers(named name: String) throws -> Int {
        try writing { try MicroblogWork.removeUsers(named: name, $0) }
    }

    // MARK: Statuses

    /// Adds a status, whose key is ignored, and returns the new key.
    /// - Throws: `LockstepError.Code.notFound` for a user who does not exist.
    @discardableResult
    public func add(_ status: Status) throws -> Int64 {
        try add([status])[0]
    }

    /// Adds statuses as one batch, ignoring their keys, and returns the new keys in their order.
    /// - Throws: `LockstepError.Code.notFound` for a user who does not exist; then none is added.
    @discardableResult
    public func add(_ statuses: [Status]) throws -> [Int64] {
        try writing { try MicroblogWork.add(statuses, $0) }
    }

    /// Finds the users with a name.
    package typealias UserSearch = (_ name: String) throws -> [User]

    /// Adds a status that is made in the same transaction, and returns its key.
    /// - Throws: The same as `add`; the errors of `make`.
    package func addStatus(_ make: (UserSearch) throws -> Status) throws -> Int64 {
        try writing { connection in
            let status = try make { try MicroblogQueries.users(named: $0, connection) }
            return try MicroblogWork.add([status], connection)[0]
        }
    }

    /// The status with this key together with its user, or nil.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func status(_ id: Int64) throws -> TimelineEntry? {
        try reading { try MicroblogQueries.status(id, $0) }
    }

    /// How many statuses there are.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func count() throws -> Int { try reading { try MicroblogQueries.count($0) } }

    /// Changes the status with this key.
    /// - Throws: `LockstepError.Code.notFound`, also for a user who does not exist.
    public func update(_ status: Status) throws {
        try writing { try MicroblogWork.update(status, $0) }
    }

    /// Changes the status with this key as it is now: nobody writes it between the reading and the writing.
    /// - Returns: Whether there is such a status.
    /// - Throws: The same as `update`; the errors of `change`, and then the status stays as it is.
    package func changeStatus(
        _ id: Int64, _ change: (inout Status, UserSearch) throws -> Void
    ) throws -> Bool {
        try writing { connection in
            guard var status = try MicroblogQueries.status(id, connection)?.status else {
                return false
            }
            try change(&status) { try MicroblogQueries.users(named: $0, connection) }
            try MicroblogWork.update(status, connection)
            return true
        }
    }

    /// Removes a status.
    /// - Returns: Whether there was one.
    /// - Throws: The errors of every call; see ``ModelStore``.
    @discardableResult
    public func removeStatus(_ id: Int64) throws -> Bool {
        try writing { try MicroblogWork.removeStatus(id, $0) }
    }

    // MARK: Pages

    /// Statuses with their users, newest first, in one query that reads no more rows than it returns; on versions 2 and
    /// 3 of the set it also reads those of the last one's instant. Statuses without an instant come last.
    /// - Parameters:
    ///   - limit: The maximum number of entries.
    ///   - cursor: Where the page begins: the ``TimelineEntry/cursor`` of the last entry of the previous page; nil for
    ///     the first page.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func timeline(
        _ limit: Int = defaultLimit, before cursor: TimelineCursor? = nil
    ) throws -> [TimelineEntry] {
        try reading { try MicroblogQueries.timeline(limit, before: cursor, $0) }
    }

    /// The statuses of all users with this name, newest first, in one query.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func statuses(
        ofUserNamed name: String, _ limit: Int = defaultLimit
    ) throws -> [TimelineEntry] {
        try reading { try MicroblogQueries.statuses(ofUserNamed: name, limit, $0) }
    }

    /// Statuses that contain a word, or several consecutive words, newest first, in one query. Case and accents do not
    /// count, and nothing in `word` is an operator.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func search(_ word: String, _ limit: Int = defaultLimit) throws -> [TimelineEntry] {
        try reading { try MicroblogQueries.search(word, limit, $0) }
    }

    // MARK: Changes

    /// Applies all the changes, in their order, in one transaction.
    /// - Throws: `LockstepError.Code.notFound` for a change of something that is gone, and for a user who does not
    ///   exist; then nothing is changed.
    @discardableResult
    public func save(_ changes: MicroblogChanges) throws -> MicroblogAdditions {
        try writing { try changes.apply(to: $0) }
    }
}
