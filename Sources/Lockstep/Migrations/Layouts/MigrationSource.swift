/// A file of a migration folder, before anybody has made sense of it.
struct MigrationSource: Sendable, Equatable {
    /// Where it lies in the folder, with `/` between the names.
    let path: String
    /// Its content; empty for a file whose name alone matters.
    let bytes: [UInt8]
    /// The name of the file alone.
    let name: Substring
    /// The folder that it lies in, within the migration folder; nil if it lies right in that.
    let folder: Substring?

    init(path: String, bytes: [UInt8]) {
        (self.path, self.bytes) = (path, bytes)
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        folder = slash.map { path[..<$0] }
        name = slash.map { path[path.utf8.index(after: $0)...] } ?? path[...]
    }

    /// Whether it is SQL by its name.
    var isSQL: Bool { name.asciiLowercased.hasSuffix(".sql") }

    /// Its name without the ending `.sql`, or nil for any other file.
    var stem: Substring? {
        let letters = name.utf8
        return letters.suffix(4).elementsEqual(".sql".utf8)
            ? Substring(letters.dropLast(4)) : nil
    }

    /// The text, without a byte-order mark.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` for what SQLite could not read either.
    func text() throws(LockstepError) -> String {
        // A byte-order mark says nothing in UTF-8, and SQLite would stumble over it.
        let content = bytes[Self.markLength(bytes)...]
        guard let text = String(validating: content, as: UTF8.self) else {
            let valid = String(decoding: content, as: UTF8.self)
            let line = valid.prefix { $0 != "\u{FFFD}" }.count(where: \.isNewline) + 1
            throw LockstepError(
                .migrationMalformed, "\(path):\(line): the file is not valid UTF-8",
                hint: "save it as UTF-8")
        }
        guard !text.utf8.contains(0) else {
            throw LockstepError(
                .migrationMalformed, "\(path) holds a NUL byte",
                hint: "SQLite would ignore everything behind it; remove it")
        }
        return text
    }

    /// How many bytes of a byte-order mark a file begins with.
    static func markLength(_ bytes: [UInt8]) -> Int {
        bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    }

    /// The error for a file of this name that breaks a rule of its layout.
    func malformed(_ what: String, hint: String) -> LockstepError {
        LockstepError(.migrationMalformed, "\(path) \(what)", hint: hint)
    }
}
