/// `meta/_journal.json` of drizzle: an object with a list `entries`, whose objects have a number `idx` and a text
/// `tag`. SQLite reads it.
struct DrizzleJournal {
    /// The names of the versions' files without `.sql`, in the order in which they run.
    let tags: [String]

    init(_ source: MigrationSource) throws(LockstepError) {
        let text = try source.text()
        guard let (dialect, entries) = try? Self.read(text) else {
            throw source.malformed(
                "is no journal of drizzle: it is not a JSON object with a list `entries`",
                hint: "restore it from version control")
        }
        if let dialect {
            try SQLDialect.require(dialect == "turso" ? "sqlite" : dialect, in: source)
        }
        var tags: [String] = []
        for (index, entry) in entries.enumerated() {
            guard let tag = entry.tag, !tag.isEmpty, !tag.utf8.contains(UInt8(ascii: "/")) else {
                throw source.malformed("has an entry \(index) without a tag", hint: "restore it from version control")
            }
            guard entry.place == index else {
                throw source.malformed(
                    "does not have \(tag) at the place that its idx says",
                    hint: "sort the entries by idx, from 0 on, without gaps")
            }
            tags.append(tag)
        }
        self.tags = tags
    }

    /// Nil for a text that is no journal.
    private static func read(
        _ text: String
    ) throws -> (dialect: String?, entries: [(tag: String?, place: Int?)])? {
        let connection = try Connection.inMemory()
        let entries = try connection.query(
            """
            SELECT iif(json_type(?1, fullkey || '.tag') = 'text', json_extract(?1, fullkey || '.tag'), NULL),
                iif(json_type(?1, fullkey || '.idx') = 'integer', json_extract(?1, fullkey || '.idx'), NULL)
            FROM json_each(?1, '$.entries') ORDER BY key
            """, text, as: (String?, Int?).self)
        let isJournal: Bool? = try connection.value(
            "SELECT json_valid(?1) AND json_type(?1, '$.entries') = 'array'", text)
        guard isJournal == true else { return nil }
        let dialect: String? = try connection.value(
            "SELECT json_extract(?1, '$.dialect') WHERE json_type(?1, '$.dialect') = 'text'", text)
        return (dialect, entries.map { (tag: $0.0, place: $0.1) })
    }
}
