internal import Lockstep

/// Where telephones are read and written: since version 3 their numbers are sealed, and a view opens them.
struct PhoneTable {
    /// The table, or its readable view.
    let name: SQL
    let isSealed: Bool

    /// - Throws: ``LockstepError/Code/keyUnavailable`` where the numbers are sealed and the connection has no keys.
    init(_ connection: borrowing Connection) throws {
        let hasView = try connection.value(
            "SELECT EXISTS (SELECT 1 FROM temp.sqlite_schema WHERE name = 'phone_open')",
            as: Bool.self)
        isSealed = hasView == true
        guard !isSealed else {
            name = "phone_open"
            return
        }
        name = "phone"
        let hasTokens = try connection.value(
            "SELECT EXISTS (SELECT 1 FROM pragma_table_info('phone') WHERE name = 'number_digits_token')",
            as: Bool.self)
        guard hasTokens != true else {
            throw LockstepError(
                .keyUnavailable,
                "telephone numbers are sealed, and the keys of the dataset contacts were not given",
                hint: "open the database with contacts.fields.keyring")
        }
    }

    /// As the normaliser `digits` has it.
    static func digits(of number: String) -> [UInt8] {
        number.utf8.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
