/// A file of a migration folder, before anybody has made sense of it.
struct MigrationSource: Sendable, Equatable {
    /// Where it lies in the folder, with `/` between the names.
    let path: String
    /// Its content; empty for a file whose name alone matters.
    let bytes: [UInt8]

    /// The name of the file alone.
    var name: Substring { path.split(separator: "/").last ?? path[...] }

    /// The folder that it lies in, within the migration folder; nil if it lies right in that.
    var folder: Substring? {
        path.lastIndex(of: "/").map { path[..<$0] }
    }

    /// Whether it is SQL by its name.
    var isSQL: Bool { name.asciiLowercased.hasSuffix(".sql") }

    /// Its name without the ending `.sql`, or nil for any other file.
    var stem: Substring? { name.hasSuffix(".sql") ? name.dropLast(4) : nil }

    /// The text, without a byte-order mark.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` for what SQLite could not read either.
    func text() throws(LockstepError) -> String {
        // A byte-order mark says nothing in UTF-8, and SQLite would stumble over it.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: mark) ? bytes[3...] : bytes[...]
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

    /// The error for a file of this name that breaks a rule of its layout.
    func malformed(_ what: String, hint: String) -> LockstepError {
        LockstepError(.migrationMalformed, "\(path) \(what)", hint: hint)
    }
}
