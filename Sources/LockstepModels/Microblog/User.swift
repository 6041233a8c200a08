internal import Lockstep

/// Someone who writes statuses.
public struct User: Sendable, Hashable {
    /// The row's key; 0 before it is added.
    public var id: Int64
    /// The name.
    public var name: String
    /// The name that is shown.
    public var screenName: String
    /// The address of a picture, if there is one.
    public var profileImageURL: String?
    /// The kind of account, as the service calls it.
    public var mbtype: String?
    /// Where the user lives, if known.
    public var city: String?

    /// Makes a user. Without a `screenName` it is the name.
    public init(
        id: Int64 = 0, name: String, screenName: String? = nil, profileImageURL: String? = nil,
        mbtype: String? = nil, city: String? = nil
    ) {
        self.id = id
        self.name = name
        self.screenName = screenName ?? name
        self.profileImageURL = profileImageURL
        self.mbtype = mbtype
        self.city = city
    }
}

extension User {
    /// The columns that ``init(row:from:)`` reads, of the table under its own name.
    static let columns: SQL = "User.Id, User.name, User.screenName, User.profileImageUrl, User.mbtype, User.city"

    /// Reads ``columns``, the first of which is the row's `first`.
    init(row: borrowing Row, from first: Int = 0) throws(LockstepError) {
        id = try row[first]
        name = try row[first + 1]
        screenName = try row[first + 2]
        profileImageURL = try row[first + 3]
        mbtype = try row[first + 4]
        city = try row[first + 5]
    }
}
