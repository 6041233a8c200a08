internal import Lockstep

/// Queries on a connection, in or outside of the store's transactions.
enum MicroblogQueries {
    private static let newestFirst: SQL = "ORDER BY Status.createdAt DESC, Status.Id DESC"

    // MARK: Users

    static func user(_ id: Int64, _ connection: borrowing Connection) throws -> User? {
        try connection.first("SELECT \(User.columns) FROM User WHERE Id = \(id)") { row in
            try User(row: row)
        }
    }

    static func users(_ connection: borrowing Connection) throws -> [User] {
        try connection.query("SELECT \(User.columns) FROM User ORDER BY name, Id") { row in
            try User(row: row)
        }
    }

    static func users(named name: String, _ connection: borrowing Connection) throws -> [User] {
        try connection.query("SELECT \(User.columns) FROM User WHERE name = \(name) ORDER BY Id") {
            row in try User(row: row)
        }
    }

    static func users(
        whoWrote word: String, _ connection: borrowing Connection
    ) throws -> [User] {
        guard let phrase = SearchPhrase(word) else { return [] }
        return try connection.query(
            """
            SELECT \(User.columns) FROM User
            WHERE Id IN (SELECT user FROM Status WHERE Id IN (
                SELECT rowid FROM Status_search WHERE Status_search MATCH \(phrase.text)))
            ORDER BY name, Id
            """
        ) { row in try User(row: row) }
    }

    // MARK: Statuses

    static func status(_ id: Int64, _ connection: borrowing Connection) throws -> TimelineEntry? {
        try connection.first("\(TimelineEntry.selection) WHERE Status.Id = \(id)") { row in
            try TimelineEntry(row: row)
        }
    }

    static func timeline(
        _ limit: Int, before cursor: TimelineCursor?, _ connection: borrowing Connection
    ) throws -> [TimelineEntry] {
        try connection.query(page(limit, before: cursor)) { row in try TimelineEntry(row: row) }
    }

    /// One statement, each part of which walks an index from the start of the page.
    static func page(_ limit: Int, before cursor: TimelineCursor?) -> SQL {
        let end: SQL = "\(newestFirst) LIMIT \(max(limit, 0))"
        let all = TimelineEntry.selection
        guard let cursor else { return "\(all) \(end)" }
        guard let instant = cursor.createdAt else {
            return
                "\(all) WHERE Status.createdAt IS NULL AND Status.Id < \(cursor.id) \(end)"
        }
        return """
            \(all) WHERE Status.createdAt = \(instant) AND Status.Id < \(cursor.id)
            UNION ALL \(all) WHERE Status.createdAt < \(instant)
            UNION ALL \(all) WHERE Status.createdAt IS NULL
            \(end)
            """
    }

    static func statuses(
        ofUserNamed name: String, _ limit: Int, _ connection: borrowing Connection
    ) throws -> [TimelineEntry] {
        try connection.query(
            "\(TimelineEntry.selection) WHERE User.name = \(name) \(newestFirst) LIMIT \(max(limit, 0))"
        ) { row in try TimelineEntry(row: row) }
    }

    static func search(
        _ word: String, _ limit: Int, _ connection: borrowing Connection
    ) throws -> [TimelineEntry] {
        guard let phrase = SearchPhrase(word) else { return [] }
        return try connection.query(
            """
            \(TimelineEntry.selection)
            WHERE Status.Id IN (SELECT rowid FROM Status_search WHERE Status_search MATCH \(phrase.text))
            \(newestFirst) LIMIT \(max(limit, 0))
            """
        ) { row in try TimelineEntry(row: row) }
    }

    static func count(_ connection: borrowing Connection) throws -> Int {
        try connection.value("SELECT count(*) FROM Status") ?? 0
    }
}
