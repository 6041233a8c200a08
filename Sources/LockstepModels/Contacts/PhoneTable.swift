internal import Lockstep

/// The table or view of the telephones: from version 3 on their numbers are sealed, and a view opens them.
struct PhoneTable {
    /// The table, or its readable view.
    let name: SQL
    let isSealed: Bool

    /// - Throws: `LockstepError.Code.keyUnavailable` if the numbers are sealed and the connection has no keys.
    init(_ connection: borrowing Connection) throws {
        name = try connection.readable("phone")
        isSealed = try connection.isSealed("number", of: "phone")
    }

    /// The digits, as the normaliser `digits` returns them.
    static func digits(of number: String) -> [UInt8] {
        number.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
