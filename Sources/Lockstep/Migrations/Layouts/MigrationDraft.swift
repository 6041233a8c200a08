public import SystemPackage

/// The files of a new version, in the layout of its set.
public struct MigrationDraft: Sendable, Equatable {
    /// The version.
    public let version: String
    /// Paths in the set's folder and the content of each file.
    public let files: [(path: String, content: String)]

    /// Drafts the version after the newest one of `set`: the next number with as many digits, or the current UTC
    /// time if the set uses timestamps.
    /// - Parameters:
    ///   - name: Its name: letters, digits, `_` and `-`.
    ///   - set: The set that it extends.
    /// - Throws: ``LockstepError/Code/migrationMalformed`` for a name that a file name cannot contain, and for a layout
    ///   whose tool keeps a list of the versions.
    public init(named name: String, after set: MigrationSet) throws(LockstepError) {
        try self.init(named: name, after: set, now: Clock.microsecondsSinceEpoch / 1_000_000)
    }

    /// Drafts the first version of a set in Lockstep's own layout.
    /// - Parameters:
    ///   - name: As in ``init(named:after:)``.
    ///   - script: What it runs. It has no way down.
    /// - Throws: The same.
    public init(firstVersion name: String, running script: String) throws(LockstepError) {
        try Self.requirePlain(name)
        version = NativeLayout.firstVersion ?? "1"
        files = [("\(version)_\(name).sql", "-- lockstep: up\n\n\(script)")]
    }

    init(named name: String, after set: MigrationSet, now: Int64) throws(LockstepError) {
        try Self.requirePlain(name)
        if let maker = set.layout.rules.maker {
            throw LockstepError(
                .migrationMalformed,
                "\(set.layout.rawValue) keeps a list of its versions, which a new file would not be in",
                hint: "make the version with \(maker)", context: .init(set: set.name))
        }
        version = try Self.nextVersion(set, now)
        files = set.layout.rules.draft(version, name, in: set)
    }

    private static func requirePlain(_ name: String) throws(LockstepError) {
        let isPlain = name.utf8.allSatisfy { byte in
            byte.isASCIIDigit || byte.isASCIILetter || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
        }
        guard !name.isEmpty, name.utf8.count <= 200, isPlain else {
            throw LockstepError(
                .migrationMalformed, "a migration cannot be named “\(name)”",
                hint: "use letters, digits, _ and -, such as add_ratings")
        }
    }

    /// Writes the files, without overwriting any. Makes the folder, and those above it, if they do not exist.
    /// - Returns: Their paths.
    /// - Throws: ``LockstepError/Code/alreadyExists``, ``LockstepError/Code/inputOutput``.
    @discardableResult
    public func write(into folder: FilePath) throws -> [FilePath] {
        let paths = files.map { folder.appending($0.path) }
        for path in paths where FileAccess.exists(path) {
            throw LockstepError(
                .alreadyExists, "\(path) already exists", hint: "choose another name", context: .file(path))
        }
        try Self.makeFolder(folder)
        for (path, file) in zip(paths, files) {
            if file.path.utf8.contains(UInt8(ascii: "/")) {
                try AtomicFile.createFolder(AtomicFile.parent(of: path), mode: 0o777)
            }
            try Self.write(file.content, to: path)
        }
        return paths
    }

    private static func makeFolder(_ folder: FilePath) throws {
        var missing: [FilePath] = []
        var next = folder
        while !FileAccess.exists(next) {
            missing.append(next)
            next = AtomicFile.parent(of: next)
        }
        for path in missing.reversed() { try AtomicFile.createFolder(path, mode: 0o777) }
    }

    /// Source code is not secret, so the umask alone limits who can read it. The file appears complete or not at
    /// all.
    private static func write(_ text: String, to path: FilePath) throws {
        let temporary = try AtomicFile.uniqueSibling(of: path)
        let file = try translatingErrno("create", path) {
            try FileDescriptor.open(
                temporary, .writeOnly, options: [.create, .exclusiveCreate, .noFollow, .closeOnExec],
                permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
        }
        defer { AtomicFile.remove(temporary) }
        try file.closeAfter {
            try translatingErrno("write", path) { _ = try file.writeAll(text.utf8) }
            try AtomicFile.sync(file, path)
        }
        try AtomicFile.moveIntoPlace(temporary, path)
    }

    /// Whether both would write the same files.
    public static func == (one: MigrationDraft, other: MigrationDraft) -> Bool {
        one.version == other.version
            && one.files.elementsEqual(other.files) {
                $0.path.hasSameBytes(as: $1.path) && $0.content.hasSameBytes(as: $1.content)
            }
    }

    // MARK: Versions

    /// A number with at least this many digits is a timestamp: 20240131120000.
    private static let digitsOfTime = 12

    private static func nextVersion(
        _ set: MigrationSet, _ now: Int64
    ) throws(LockstepError) -> String {
        let rules = set.layout.rules
        let time = rules.version(atTime: Timestamp(secondsSinceEpoch: now).fileName.filter(\.isNumber))
        guard let newest = set.files.last else { return rules.firstVersion ?? time }
        let digits = String(
            (newest.fileName.pieces(between: "/").first ?? "").drop { !$0.isNumber }
                .prefix { $0.isNumber || $0 == "." }.filter(\.isNumber))
        if rules.alwaysUsesTime || digits.count >= digitsOfTime { return time }
        let newestNumber =
            set.layout == .byName ? newest.version.leading : newest.version.number
        guard let number = newestNumber, number < UInt64.max else {
            throw LockstepError(
                .migrationMalformed, "the version after \(newest.version) of \(set.name) cannot be determined",
                hint: "create the file by hand", context: .init(set: set.name))
        }
        let last = max(number, set.versionsElsewhere.last?.number ?? 0)
        return (last + 1).padded(to: digits.count)
    }
}
