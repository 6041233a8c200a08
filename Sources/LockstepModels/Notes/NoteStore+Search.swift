import Lockstep

extension NoteStore {
    /// Notes in which all the words occur, in title or text, the best match first. Case and accents do not count.
    ///
    /// `words` are words: whatever stands in them, quotes and operators of a query language too, is looked for and
    /// never obeyed. What has no letter or digit is passed over; where nothing else is left, nothing is found.
    /// - Parameters:
    ///   - isLastBegun: Whether the last word may be only the beginning of one.
    ///   - limit: How many notes at most.
    ///   - marks: What is put before and behind each word that was found in an excerpt.
    public func search(
        _ words: String, isLastBegun: Bool = false, limit: Int = 50,
        marks: (before: String, behind: String) = ("", "")
    ) throws -> [NoteMatch] {
        guard let query = NoteQuery(words, isLastBegun: isLastBegun) else { return [] }
        return try reading { try query.run(limit, marks, $0) }
    }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    public func search(
        _ words: String, isLastBegun: Bool = false, limit: Int = 50,
        marks: (before: String, behind: String) = ("", "")
    ) async throws -> [NoteMatch] {
        guard let query = NoteQuery(words, isLastBegun: isLastBegun) else { return [] }
        return try await reading { try query.run(limit, marks, $0) }
    }

    /// Compares the search index with the notes. Reads all of both.
    /// - Throws: ``LockstepError/Code/damaged`` if a note is not found by its words, or one that is gone is.
    public func checkSearch() throws {
        try writing { try NoteQuery.check($0) }
    }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    public func checkSearch() async throws {
        try await writing { try NoteQuery.check($0) }
    }

    /// Makes the search index anew of the notes.
    public func rebuildSearch() throws {
        try writing { try NoteQuery.rebuild($0) }
    }

    /// The same without blocking.
    /// - Throws: as its blocking form; `CancellationError`.
    public func rebuildSearch() async throws {
        try await writing { try NoteQuery.rebuild($0) }
    }
}

/// Words to be found, as FTS5 takes them: each a string of its own, of which it obeys nothing.
struct NoteQuery {
    let text: String

    /// Nil for no words.
    init?(_ words: String, isLastBegun: Bool) {
        // To FTS5 the query ends at a NUL.
        let words = words.split { $0.isWhitespace || $0 == "\0" }
            .filter { word in word.unicodeScalars.contains { $0.properties.isTokenized } }
        guard !words.isEmpty else { return nil }
        var text = words.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ")
        if isLastBegun { text += " *" }
        self.text = text
    }

    func run(
        _ limit: Int, _ marks: (before: String, behind: String), _ connection: borrowing Connection
    ) throws -> [NoteMatch] {
        let statement = try connection.prepare(
            """
            SELECT id, records.title, createdAt, changedAt,
                snippet(records_search, -1, ?, ?, '…', 12)
            FROM records_search JOIN records ON records.id = records_search.rowid
            WHERE records_search MATCH ? ORDER BY rank, id LIMIT ?
            """)
        return try statement.map(marks.before, marks.behind, text, max(limit, 0)) { row in
            NoteMatch(note: try NoteTitle(row: row), excerpt: try row[4])
        }
    }

    static func check(_ connection: borrowing Connection) throws {
        do throws(LockstepError) {
            // The 1 has it look at the notes too, and not only at itself (SQLite's documentation, FTS5 6.4).
            try connection.execute(
                "INSERT INTO records_search (records_search, rank) VALUES ('integrity-check', 1)")
        } catch {
            guard error.code == .damaged else { throw error }
            throw LockstepError(
                .damaged, "the search index does not fit the notes",
                hint: "make it anew: NoteStore.rebuildSearch()", sqliteCode: error.sqliteCode)
        }
    }

    static func rebuild(_ connection: borrowing Connection) throws {
        try connection.execute("INSERT INTO records_search (records_search) VALUES ('rebuild')")
    }
}

extension Unicode.Scalar.Properties {
    /// Whether FTS5's tokenizer makes words of it: letters, digits, and what stands for private use.
    fileprivate var isTokenized: Bool {
        switch generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber, .privateUse:
            true
        default: false
        }
    }
}
