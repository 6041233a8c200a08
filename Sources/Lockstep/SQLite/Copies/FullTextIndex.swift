/// An FTS5 table of ours whose texts came from a file of unknown origin, and its index, which is built from them.
struct FullTextIndex {
    /// The table.
    let name: String

    /// What FTS5 lets its user set of a table, and checks ("SQLite FTS5 Extension", section 6). Other rows of its
    /// settings, such as the version of the index, are the new index's own.
    static let settings: Set<String> = [
        "automerge", "crisismerge", "deletemerge", "hashsize", "pgsz", "rank", "secure-delete",
        "usermerge",
    ]

    /// Sets one of ``settings``: its name, then its value.
    var setting: SQL { "INSERT INTO main.\(name: name) (\(name: name), rank) VALUES (?, ?)" }

    /// The settings of a table in another file.
    var savedSettings: SQL {
        let names = Self.settings.sorted().map(SQLTokens.quoteText).joined(separator: ", ")
        return """
            SELECT k, v FROM main.\(name: "\(name)_config") WHERE k IN (\(verbatim: names)) ORDER BY k
            """
    }

    /// Builds the index.
    /// - Throws: ``LockstepError/Code/denied`` where the table keeps no texts.
    func build(_ connection: borrowing Connection) throws {
        do {
            try connection.execute(
                "INSERT INTO main.\(name: name) (\(name: name)) VALUES ('rebuild')")
        } catch {
            let hasTexts: Int? = try connection.value(
                "SELECT count(*) FROM main.sqlite_schema WHERE lower(name) = lower(?)",
                "\(name)_content")
            guard error.code == .sqlFailed, hasTexts == 0 else { throw error }
            throw LockstepError(
                .denied,
                "the full-text table \(name) keeps no texts, or has none that can be read, to build its index from; and an index of unknown "
                    + "origin is never copied",
                hint:
                    "drop the table in a copy of the original, bring that over, and fill a new table from the "
                    + "program's texts")
        }
    }
}
