internal import Lockstep

/// A telephone of a contact.
public struct Phone: Sendable, Hashable {
    /// The row's key; 0 before it is stored.
    public internal(set) var id: Int64
    /// Its kind, such as `home`.
    public var label: String
    /// Its number, as it was written.
    public var number: String

    /// The default label.
    public static let defaultLabel = "phone"

    /// Makes a telephone that is not stored yet.
    public init(label: String = defaultLabel, number: String) {
        self.init(id: 0, label: label, number: number)
    }

    init(id: Int64, label: String, number: String) {
        self.id = id
        self.label = label
        self.number = number
    }
}

extension Phone {
    /// The columns that ``init(row:)`` reads.
    static let columns: SQL = "id, label, number"

    /// Reads ``columns``.
    init(row: borrowing Row) throws(LockstepError) {
        self.init(id: try row[0], label: try row[1], number: try row[2])
    }
}
