public import SystemPackage

/// The versions of one schema, in their order. A database may carry several sets.
public struct MigrationSet: Sendable, Equatable {
    /// The set's name: its folder's.
    public let name: String
    /// The versions, ascending. Two files may claim one version; the plan reports that.
    public let files: [MigrationFile]
    /// Versions that are written in Swift.
    var code: [CodeMigration] = []

    /// A set out of files that were read elsewhere, such as compiled into the program.
    /// - Throws: ``LockstepError/Code/migrationMalformed``.
    public init(name: String, files: [(name: String, content: String)]) throws(LockstepError) {
        var parsed: [MigrationFile] = []
        for file in files {
            parsed.append(try MigrationFile(fileName: file.name, bytes: Array(file.content.utf8)))
        }
        try self.init(name: name, parsed: parsed)
    }

    private init(name: String, parsed: [MigrationFile]) throws(LockstepError) {
        guard PlainName.isValid(name) else {
            throw LockstepError(
                .migrationMalformed, "a migration set cannot be named “\(name)”",
                hint: "name its folder with \(PlainName.rule)")
        }
        self.name = name
        files = parsed.sorted { ($0.version, $0.fileName) < ($1.version, $1.fileName) }
    }

    /// Reads the set that a folder holds. Files without the ending `.sql` are left alone.
    /// - Throws: ``LockstepError/Code/notFound``, ``LockstepError/Code/migrationMalformed``.
    public init(folder: FilePath) throws {
        let (files, _) = try Folder.list(folder)
        try self.init(folder: folder, files)
    }

    private init(folder: FilePath, _ names: [String]) throws {
        var parsed: [MigrationFile] = []
        for name in names where name.hasSuffix(".sql") {
            let bytes = try FileAccess.read(folder.appending(name), limit: Self.largestFile)
            parsed.append(try MigrationFile(fileName: name, bytes: bytes))
        }
        try self.init(name: try Folder.name(of: folder), parsed: parsed)
    }

    /// Reads the sets of a folder: the one it is, or else one for each of its folders that holds
    /// migrations, by name; with a name, only that one.
    /// - Throws: ``LockstepError/Code/notFound`` if there is none.
    public static func sets(
        in folder: FilePath, named wanted: String? = nil
    ) throws -> [MigrationSet] {
        let (files, folders) = try Folder.list(folder)
        if files.contains(where: { $0.hasSuffix(".sql") }) {
            return [try MigrationSet(folder: folder, files)]
        }
        var sets: [MigrationSet] = []
        for name in folders where wanted == nil || wanted == name {
            let inner = folder.appending(name)
            let (files, _) = try Folder.list(inner)
            guard files.contains(where: { $0.hasSuffix(".sql") }) else { continue }
            sets.append(try MigrationSet(folder: inner, files))
        }
        guard !sets.isEmpty else {
            throw LockstepError(
                .notFound,
                "there are no migrations in \(wanted.map { folder.appending($0) } ?? folder)",
                hint: "it should hold files like 0001_create_tables.sql, or folders with such files"
            )
        }
        return sets
    }

    /// A migration is text that somebody wrote; more is a mistake.
    private static let largestFile = 64 * 1024 * 1024
}
