import Lockstep

/// `user_version` of a database that another program made: it counts versions from the first record on.
enum UserVersion {
    /// Runs `body`, and says so if it replaces a number that was another program's.
    static func noting<Result>(
        _ connection: borrowing Connection, _ body: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let before = try foreign(connection)
        let result = try body(connection)
        if let before, let now = try number(connection), now != before {
            Output.note("user_version was \(before) and is \(now) now: it counts the recorded versions")
        }
        return result
    }

    /// Nil if it is 0, or counts versions already.
    private static func foreign(_ connection: borrowing Connection) throws -> Int? {
        guard let number = try number(connection), number != 0,
            try Ledger.entries(connection).isEmpty
        else { return nil }
        return number
    }

    private static func number(_ connection: borrowing Connection) throws -> Int? {
        try connection.value("PRAGMA user_version")
    }
}
