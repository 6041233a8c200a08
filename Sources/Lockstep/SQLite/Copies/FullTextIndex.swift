/// An FTS5 table in a new file, with content from a file of unknown origin. Its index is built from the content.
struct FullTextIndex {
    /// The table.
    let name: String

    /// The settings of a table that FTS5 lets its user change, and checks ("SQLite FTS5 Extension", section 6).
    /// The new index has its own values for other rows of its configuration, such as its version.
    static let settings: Set<String> = [
        "automerge", "crisismerge", "deletemerge", "hashsize", "pgsz", "rank", "secure-delete", "usermerge",
    ]

    /// Sets one of ``settings``. Takes its name, then its value.
    var setting: SQL { "INSERT INTO main.\(name: name) (\(name: name), rank) VALUES (?, ?)" }

    /// The settings of a table in another file.
    var savedSettings: SQL {
        let names = Self.settings.sorted().map(SQLTokens.quoteText).joined(separator: ", ")
        return """
            SELECT k, v FROM main.\(name: "\(name)_config") WHERE k IN (\(verbatim: names)) ORDER BY k
            """
    }

    /// Builds the index.
    /// - Throws: ``LockstepError/Code/denied`` if the table keeps no content.
    func build(_ connection: borrowing Connection) throws {
        do {
            try connection.execute(
                "INSERT INTO main.\(name: name) (\(name: name)) VALUES ('rebuild')")
        } catch {
            let hasTexts: Int? = try connection.value(
                "SELECT count(*) FROM main.sqlite_schema WHERE lower(name) = lower(?)", "\(name)_content")
            guard error.code == .sqlFailed, hasTexts == 0 else { throw error }
            throw LockstepError(
                .denied,
                "the full-text table \(name) keeps no texts that its index can be built from, and "
                    + "an index of unknown origin is never copied",
                hint:
                    "drop the table in a copy of the original, use that copy instead, and fill a "
                    + "new table from the program's texts", context: .init(table: name))
        }
    }
}
