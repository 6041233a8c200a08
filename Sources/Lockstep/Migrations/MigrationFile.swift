/// One version of a migration set, as its file says it.
///
/// The native layout: `0003_add_ratings.sql`, in which `-- lockstep: up` opens the SQL that leads to the
/// version and `-- lockstep: down` the SQL that leads back. A file without a way down is irreversible.
public struct MigrationFile: Sendable, Equatable {
    /// Where in the set's order it belongs.
    public let version: MigrationVersion
    /// What the file calls it, without version and ending.
    public let name: String
    /// The file's name.
    public let fileName: String
    let checksums: MigrationChecksums
    let up: MigrationScript
    let down: MigrationScript?

    /// Whether the version can be undone.
    public var isReversible: Bool { down != nil }

    /// Parses a file's bytes.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` with file and line.
    public init(fileName: String, bytes: [UInt8]) throws(LockstepError) {
        guard let (version, name) = Self.parts(of: fileName) else {
            throw LockstepError(
                .migrationMalformed, "\(fileName) is not named like a migration",
                hint: "name it <version>_<name>.sql, such as 0001_create_tables.sql")
        }
        let text = try Self.decode(bytes, fileName)
        let scripts = try MigrationFileParser.parse(text, fileName)
        self.version = version
        self.name = name
        self.fileName = fileName
        up = scripts.up
        down = scripts.down
        checksums = try MigrationChecksums(bytes: bytes, text: text)
    }

    /// Version and name out of `<version>_<name>.sql`.
    static func parts(of fileName: String) -> (MigrationVersion, String)? {
        guard fileName.hasSuffix(".sql") else { return nil }
        let stem = fileName.dropLast(4)
        guard let split = stem.firstIndex(of: "_"),
            let version = MigrationVersion(stem[..<split])
        else { return nil }
        let name = stem[stem.index(after: split)...]
        guard !name.isEmpty else { return nil }
        return (version, String(name))
    }

    private static func decode(_ bytes: [UInt8], _ fileName: String) throws(LockstepError) -> String
    {
        // A byte-order mark says nothing in UTF-8, and SQLite would stumble over it.
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let content = bytes.starts(with: mark) ? bytes[3...] : bytes[...]
        guard let text = String(validating: content, as: UTF8.self) else {
            let valid = String(decoding: content, as: UTF8.self)
            let line = valid.prefix { $0 != "\u{FFFD}" }.count(where: \.isNewline) + 1
            throw LockstepError(
                .migrationMalformed, "\(fileName):\(line): the file is not valid UTF-8",
                hint: "save it as UTF-8")
        }
        guard !text.utf8.contains(0) else {
            throw LockstepError(
                .migrationMalformed, "\(fileName) holds a NUL byte",
                hint: "SQLite would ignore everything behind it; remove it")
        }
        return text
    }
}
