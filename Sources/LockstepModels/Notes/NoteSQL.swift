import Lockstep

/// The note store's database operations, in the open transaction.
enum NoteSQL {
    static func requireText(_ text: String) throws(LockstepError) {
        guard text.isEmpty else { return }
        throw LockstepError(.misuse, "a note without text is not kept", hint: "delete the note instead")
    }

    static func insert(
        _ text: String, at now: Int64, _ connection: borrowing Connection
    ) throws -> Int64 {
        try connection.execute(
            "INSERT INTO records (title, createdAt, changedAt, txt) VALUES (?, ?, ?, ?)",
            Note.title(of: text), now, now, text)
        return connection.lastInsertedRowID
    }

    static func update(_ id: Int64, _ text: String, at now: Int64, _ connection: borrowing Connection) throws -> Bool {
        try connection.execute(
            "UPDATE records SET title = ?, changedAt = ?, txt = ? WHERE id = ?", Note.title(of: text), now, text, id)
        return connection.changes == 1
    }

    static func delete(_ id: Int64, _ connection: borrowing Connection) throws -> Bool {
        try connection.execute("DELETE FROM records WHERE id = ?", id)
        return connection.changes == 1
    }

    // MARK: Lists

    private static let order: SQL = "ORDER BY changedAt DESC, id DESC LIMIT"

    /// The first page of titles.
    static func firstPage(_ limit: Int) -> SQL {
        "SELECT \(NoteTitle.columns) FROM records \(order) \(limit)"
    }

    /// The titles after one that has a date, and that have one themselves.
    static func page(_ limit: Int, afterDate date: Int64, _ id: Int64) -> SQL {
        """
        SELECT \(NoteTitle.columns) FROM records
        WHERE (changedAt, id) < (\(date), \(id)) \(order) \(limit)
        """
    }

    /// The titles without a date, below a key.
    static func datelessPage(_ limit: Int, below id: Int64?) -> SQL {
        guard let id else {
            return """
                SELECT \(NoteTitle.columns) FROM records
                WHERE changedAt IS NULL ORDER BY id DESC LIMIT \(limit)
                """
        }
        return """
            SELECT \(NoteTitle.columns) FROM records
            WHERE changedAt IS NULL AND id < \(id) ORDER BY id DESC LIMIT \(limit)
            """
    }

    static func list(
        _ limit: Int, _ last: NoteTitle?, _ connection: borrowing Connection
    ) throws -> [NoteTitle] {
        // To SQLite a negative limit means none.
        let limit = max(limit, 0)
        func titles(_ sql: SQL) throws -> [NoteTitle] {
            let statement = try connection.prepare(sql)
            return try statement.map { row in try NoteTitle(row: row) }
        }
        guard let last else { return try titles(firstPage(limit)) }
        guard let date = last.changedAt else {
            return try titles(datelessPage(limit, below: last.id))
        }
        // A comparison with NULL is neither true nor false, so these are queried separately.
        let dated = try titles(page(limit, afterDate: date, last.id))
        guard dated.count < limit else { return dated }
        return try dated + titles(datelessPage(limit - dated.count, below: nil))
    }

    // MARK: One note

    static func body(_ id: Int64, _ connection: borrowing Connection) throws -> String? {
        let statement = try connection.prepare("SELECT txt FROM records WHERE id = ?")
        return try statement.first(id) { row in try row[0] as String }
    }

    static func note(_ id: Int64, _ connection: borrowing Connection) throws -> Note? {
        let statement = try connection.prepare("SELECT id, title, createdAt, changedAt, txt FROM records WHERE id = ?")
        return try statement.first(id) { row in
            Note(id: try row[0], title: try row[1], text: try row[4], createdAt: try row[2], changedAt: try row[3])
        }
    }

    static func count(_ connection: borrowing Connection) throws -> Int {
        try connection.value("SELECT count(*) FROM records") ?? 0
    }
}
