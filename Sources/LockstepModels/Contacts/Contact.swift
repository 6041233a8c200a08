internal import Lockstep

/// A person with any number of telephones.
public struct Contact: Sendable, Hashable {
    /// The row's key; 0 before it is inserted.
    public internal(set) var id: Int64
    /// The first name; one of both names can be empty.
    public var firstName: String
    /// The last name.
    public var lastName: String
    /// The telephones, in the order in which they were added.
    public var phones: [Phone]

    /// Makes a contact that is not stored yet.
    public init(firstName: String, lastName: String, phones: [Phone] = []) {
        self.init(id: 0, firstName: firstName, lastName: lastName, phones: phones)
    }

    init(id: Int64, firstName: String, lastName: String, phones: [Phone]) {
        self.id = id
        self.firstName = firstName
        self.lastName = lastName
        self.phones = phones
    }

    /// Whether the names contain more than white space.
    public var hasName: Bool {
        !firstName.allSatisfy(\.isWhitespace) || !lastName.allSatisfy(\.isWhitespace)
    }
}

extension Contact {
    /// The columns that ``init(row:)`` reads.
    static let columns: SQL = "idx, firstname, lastname"
    /// The order in which people look for each other; an index provides it.
    static let order: SQL = "ORDER BY lastname, firstname, idx"

    /// Reads ``columns``; the telephones are added later.
    init(row: borrowing Row) throws(LockstepError) {
        self.init(id: try row[0], firstName: try row[1], lastName: try row[2], phones: [])
    }
}
