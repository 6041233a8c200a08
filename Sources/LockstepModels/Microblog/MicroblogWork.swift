internal import Lockstep

/// Operations on a connection, inside one of the store's transactions.
enum MicroblogWork {
    // MARK: Users

    static func add(_ user: User, _ connection: borrowing Connection) throws -> Int64 {
        try connection.execute(
            """
            INSERT INTO User (name, screenName, profileImageUrl, mbtype, city)
            VALUES (?, ?, ?, ?, ?)
            """, user.name, user.screenName, user.profileImageURL, user.mbtype, user.city)
        return connection.lastInsertedRowID
    }

    static func update(_ user: User, _ connection: borrowing Connection) throws {
        try connection.execute(
            """
            UPDATE User SET name = ?, screenName = ?, profileImageUrl = ?, mbtype = ?, city = ?
            WHERE Id = ?
            """, user.name, user.screenName, user.profileImageURL, user.mbtype, user.city, user.id)
        guard connection.changes > 0 else { throw missing("user", user.id) }
    }

    static func removeUser(_ id: Int64, _ connection: borrowing Connection) throws -> Bool {
        try connection.execute("DELETE FROM User WHERE Id = ?", id)
        return connection.changes > 0
    }

    static func removeUsers(
        named name: String, _ connection: borrowing Connection
    ) throws -> Int {
        try connection.execute("DELETE FROM User WHERE name = ?", name)
        return connection.changes
    }

    // MARK: Statuses

    /// Adds statuses, ignoring their keys, and returns the new ones.
    static func add(
        _ statuses: [Status], _ connection: borrowing Connection
    ) throws -> [Int64] {
        guard !statuses.isEmpty else { return [] }
        try requireUsers(of: statuses, connection)
        let first = try NextKeys.first(of: statuses.count, in: "Status", "Id", connection)
        var rows = statuses
        for index in rows.indices { rows[index].id = first + Int64(index) }
        try connection.execute(insertion, rows: rows)
        return rows.map(\.id)
    }

    /// Adds a status whose user is known to exist; AUTOINCREMENT chooses the key.
    static func addKnown(_ status: Status, _ connection: borrowing Connection) throws {
        let insert = try connection.prepare(insertion)
        try insert.run(
            Int64?.none, status.source, status.createdAt, status.createdAtAsWritten, status.text, status.userID)
    }

    static func update(_ status: Status, _ connection: borrowing Connection) throws {
        try requireUsers(of: [status], connection)
        try connection.execute(
            """
            UPDATE Status SET source = ?, createdAt = ?, createdAtAsWritten = ?, "text" = ?, user = ?
            WHERE Id = ?
            """, status.source, status.createdAt, status.createdAtAsWritten, status.text, status.userID, status.id)
        guard connection.changes > 0 else { throw missing("status", status.id) }
    }

    static func removeStatus(_ id: Int64, _ connection: borrowing Connection) throws -> Bool {
        try connection.execute("DELETE FROM Status WHERE Id = ?", id)
        return connection.changes > 0
    }

    private static let insertion: SQL = """
        INSERT INTO Status (Id, source, createdAt, createdAtAsWritten, "text", user)
        VALUES (?, ?, ?, ?, ?, ?)
        """

    /// The foreign key would refuse them too, without saying which.
    private static func requireUsers(
        of statuses: [Status], _ connection: borrowing Connection
    ) throws {
        let find = try connection.prepare("SELECT 1 FROM User WHERE Id = ?")
        var known: Set<Int64> = []
        for status in statuses {
            guard let id = status.userID, !known.contains(id) else { continue }
            guard try find.first(id, row: { _ in true }) == true else {
                throw missing("user", id)
            }
            known.insert(id)
        }
    }

    private static func missing(_ kind: String, _ id: Int64) -> LockstepError {
        LockstepError(
            .notFound, "there is no \(kind) with the id \(id)",
            hint: "it may have been removed in the meantime: read it again")
    }
}
