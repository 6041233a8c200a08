import Lockstep

extension NoteStore {
    /// Notes that contain all the words, in title or text, the best match first. Case and accents do not count.
    ///
    /// `words` are only words: quotes and operators of a query language in them are never interpreted. Words without a
    /// letter or digit are ignored; if no others are left, nothing is found.
    /// - Parameters:
    ///   - words: The words.
    ///   - isLastBegun: Whether the last word can be a prefix.
    ///   - limit: The maximum number of notes.
    ///   - marks: What is put before and after each matching word in an excerpt.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func search(
        _ words: String, isLastBegun: Bool = false, limit: Int = 50, marks: (before: String, after: String) = ("", "")
    ) throws -> [NoteMatch] {
        guard let query = NoteQuery(words, isLastBegun: isLastBegun) else { return [] }
        return try reading { try query.run(limit, marks, $0) }
    }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func search(
        _ words: String, isLastBegun: Bool = false, limit: Int = 50, marks: (before: String, after: String) = ("", "")
    ) async throws -> [NoteMatch] {
        guard let query = NoteQuery(words, isLastBegun: isLastBegun) else { return [] }
        return try await reading { try query.run(limit, marks, $0) }
    }

    /// Compares the search index with the notes. Reads all of both.
    /// - Throws: `LockstepError.Code.damaged` if a note is not found by its words, or a deleted one is.
    public func checkSearch() throws { try writing { try NoteQuery.check($0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func checkSearch() async throws { try await writing { try NoteQuery.check($0) } }

    /// Rebuilds the search index from the notes.
    /// - Throws: The errors of every call; see ``ModelStore``.
    public func rebuildSearch() throws { try writing { try NoteQuery.rebuild($0) } }

    /// The same call, awaited.
    /// - Throws: The errors of the blocking form; `CancellationError`.
    public func rebuildSearch() async throws { try await writing { try NoteQuery.rebuild($0) } }
}

/// Search words in FTS5's syntax: each is a quoted string, so that FTS5 interprets nothing in it.
struct NoteQuery {
    let text: String

    /// Nil without any word.
    init?(_ words: String, isLastBegun: Bool) {
        // To FTS5 a query ends at a NUL.
        let words = words.split { $0.isWhitespace || $0 == "\0" }
            .filter { word in word.unicodeScalars.contains { $0.properties.isTokenized } }
        guard !words.isEmpty else { return nil }
        var text = words.map { "\"\($0.replacing("\"", with: "\"\""))\"" }.joined(separator: " ")
        if isLastBegun { text += " *" }
        self.text = text
    }

    func run(
        _ limit: Int, _ marks: (before: String, after: String), _ connection: borrowing Connection
    ) throws -> [NoteMatch] {
        let statement = try connection.prepare(
            """
            SELECT id, records.title, createdAt, changedAt,
                snippet(records_search, -1, ?, ?, '…', 12)
            FROM records_search JOIN records ON records.id = records_search.rowid
            WHERE records_search MATCH ? ORDER BY rank, id LIMIT ?
            """)
        return try statement.map(marks.before, marks.after, text, max(limit, 0)) { row in
            NoteMatch(note: try NoteTitle(row: row), excerpt: try row[4])
        }
    }

    static func check(_ connection: borrowing Connection) throws {
        do throws(LockstepError) {
            // The 1 makes it check the notes too, not only itself (SQLite's documentation, FTS5 6.4).
            try connection.execute("INSERT INTO records_search (records_search, rank) VALUES ('integrity-check', 1)")
        } catch {
            guard error.code == .damaged else { throw error }
            throw LockstepError(
                .damaged, "the search index does not match the notes",
                hint: "rebuild it with NoteStore.rebuildSearch()", context: error.context)
        }
    }

    static func rebuild(_ connection: borrowing Connection) throws {
        try connection.execute("INSERT INTO records_search (records_search) VALUES ('rebuild')")
    }
}

extension Unicode.Scalar.Properties {
    /// Whether FTS5's tokenizer makes words of it: letters, digits, and private-use characters.
    fileprivate var isTokenized: Bool {
        switch generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber, .letterNumber, .otherNumber, .privateUse:
            true
        default: false
        }
    }
}
