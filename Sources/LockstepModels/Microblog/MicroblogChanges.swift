internal import Lockstep

/// Collected changes. Nothing is stored until `MicroblogStore.save`, which applies all of them in one
/// transaction, or none.
///
///     var changes = MicroblogChanges()
///     let ann = changes.add(User(name: "Ann"))
///     changes.add(Status(text: "Hello"), by: ann)
///     try store.save(changes)
public struct MicroblogChanges: Sendable {
    /// A user to be added, for statuses that are added with it.
    public struct NewUser: Sendable, Hashable {
        let place: Int
    }

    enum Step: Sendable {
        case addUser(User)
        case addStatus(Status, by: NewUser?)
        case updateUser(User)
        case updateStatus(Status)
        case removeUser(Int64)
        case removeStatus(Int64)
    }

    private(set) var steps: [Step] = []
    private var newUsers = 0

    /// No changes.
    public init() {}

    /// Whether there is nothing to save.
    public var isEmpty: Bool { steps.isEmpty }

    /// Adds a user, whose key is ignored.
    @discardableResult
    public mutating func add(_ user: User) -> NewUser {
        steps.append(.addUser(user))
        newUsers += 1
        return NewUser(place: newUsers - 1)
    }

    /// Adds a status, whose key is ignored, of an existing user.
    public mutating func add(_ status: Status) { steps.append(.addStatus(status, by: nil)) }

    /// Adds a status of a user who is added by the same changes, whatever its ``Status/userID`` is.
    public mutating func add(_ status: Status, by user: NewUser) {
        steps.append(.addStatus(status, by: user))
    }

    /// Changes the user with this key.
    public mutating func update(_ user: User) { steps.append(.updateUser(user)) }

    /// Changes the status with this key.
    public mutating func update(_ status: Status) { steps.append(.updateStatus(status)) }

    /// Removes a user and the user's statuses. If the user is already gone, that is not an error.
    public mutating func removeUser(_ id: Int64) { steps.append(.removeUser(id)) }

    /// Removes a status. If it is already gone, that is not an error.
    public mutating func removeStatus(_ id: Int64) { steps.append(.removeStatus(id)) }
}

extension MicroblogChanges {
    /// Applies all changes in the order in which they were made.
    func apply(to connection: borrowing Connection) throws -> MicroblogAdditions {
        var additions = MicroblogAdditions()
        // Consecutive added statuses form one batch.
        var batch: [Status] = []
        for step in steps {
            if case .addStatus(var status, let user) = step {
                if let user { status.userID = try Self.id(of: user, in: additions) }
                batch.append(status)
                continue
            }
            additions.statusIDs += try MicroblogWork.add(batch, connection)
            batch.removeAll()
            switch step {
            case .addStatus: break
            case .addUser(let user):
                additions.userIDs.append(try MicroblogWork.add(user, connection))
            case .updateUser(let user): try MicroblogWork.update(user, connection)
            case .updateStatus(let status): try MicroblogWork.update(status, connection)
            case .removeUser(let id): _ = try MicroblogWork.removeUser(id, connection)
            case .removeStatus(let id): _ = try MicroblogWork.removeStatus(id, connection)
            }
        }
        additions.statusIDs += try MicroblogWork.add(batch, connection)
        return additions
    }

    private static func id(
        of user: NewUser, in additions: MicroblogAdditions
    ) throws(LockstepError) -> Int64 {
        guard additions.userIDs.indices.contains(user.place) else {
            throw LockstepError(
                .misuse, "a status refers to a new user of other changes",
                hint: "add the user to the same changes, before the status")
        }
        return additions.userIDs[user.place]
    }
}
