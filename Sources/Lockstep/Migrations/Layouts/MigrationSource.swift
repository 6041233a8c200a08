/// A file of a migration folder, before parsing.
struct MigrationSource: Sendable, Equatable {
    /// Its path in the folder, separated by `/`.
    let path: String
    /// Its content; empty for a file of which only the name matters.
    let bytes: [UInt8]
    /// The engine that reads it.
    let engine: DatabaseEngine
    /// The file name without folders, and without a dialect; see ``SQLDialect``.
    private(set) var name: Substring
    /// Its folder within the migration folder; nil if it is directly in the migration folder.
    let folder: Substring?

    init(path: String, bytes: [UInt8], engine: DatabaseEngine = .sqlite) {
        (self.path, self.bytes, self.engine) = (path, bytes, engine)
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        folder = slash.map { path[..<$0] }
        name = slash.map { path[path.utf8.index(after: $0)...] } ?? path[...]
    }

    /// The same file as one of this name. Errors name it as it is.
    func named(_ name: String) -> MigrationSource {
        var source = self
        source.name = name[...]
        return source
    }

    var origin: ScriptOrigin { ScriptOrigin(file: path) }

    /// Whether its name ends in `.sql`.
    var isSQL: Bool { Self.isSQL(name) }

    /// Whether a file of this name can be a migration in SQL.
    static func isSQL(_ name: Substring) -> Bool { name.asciiLowercased.ends(with: ".sql") }

    /// Whether the content of a file of this name counts, as opposed to its name alone.
    static func isRead(_ name: Substring) -> Bool {
        isSQL(name) || MigrationLayout.isSettings(name)
    }

    /// Its name without the extension `.sql`; nil for any other file.
    var stem: Substring? {
        let letters = name.utf8
        return letters.suffix(4).elementsEqual(".sql".utf8)
            ? Substring(letters.dropLast(4)) : nil
    }

    /// The text, without a byte order mark.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` for text that SQLite could not read either.
    func text() throws(LockstepError) -> String {
        // A byte order mark has no meaning in UTF-8, and SQLite would fail on it.
        let content = bytes[Self.markLength(bytes)...]
        guard let text = String(validating: content, as: UTF8.self) else {
            let valid = String(decoding: content, as: UTF8.self)
            let line = valid.prefix { $0 != "\u{FFFD}" }.count(where: \.isNewline) + 1
            throw origin.malformed("the file is not valid UTF-8", line: line, hint: "save it as UTF-8")
        }
        guard !text.utf8.contains(0) else {
            throw malformed(
                "contains a NUL byte",
                hint: "SQLite would ignore everything after it; remove it")
        }
        try requireLineFeeds(content)
        return text
    }

    /// Requires that lines end as SQLite ends comments. It takes what follows a carriage return for the same line, and a
    /// file with those alone would be one comment from its first `--` on.
    private func requireLineFeeds(_ text: ArraySlice<UInt8>) throws(LockstepError) {
        let (feed, carriage) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        func endsAlone(_ range: Range<Int>) -> Bool {
            range.contains { text[$0] == carriage && ($0 + 1 == text.endIndex || text[$0 + 1] != feed) }
        }
        guard text.contains(carriage), endsAlone(text.indices) else { return }
        let isHidden = SQLTokens(bytes, from: text.startIndex, engine.lexis).contains { token in
            token.kind == .comment && bytes[token.range].starts(with: "--".utf8) && endsAlone(token.range)
        }
        guard isHidden || !text.contains(feed) else { return }
        throw malformed(
            "has lines that end with a carriage return alone",
            hint: "SQLite would take them for one line, and what follows a comment for a part of it: save it with line "
                + "feeds")
    }

    /// The length in bytes of the byte order mark at the start of a file, or 0.
    static func markLength(_ bytes: [UInt8]) -> Int {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The error for a file that breaks a rule of its layout.
    func malformed(_ what: String, hint: String) -> LockstepError {
        malformed(what, advice: .init(hint))
    }

    func malformed(_ what: String, advice: LockstepError.Advice) -> LockstepError {
        LockstepError(.migrationMalformed, "\(path) \(what)", advice: advice, context: origin.context)
    }
}
