internal import SystemPackage

/// Selects the files of a migration folder that count, and reads them from the disk.
enum MigrationFolder {
    /// How deep below the folder the files of a layout can be.
    enum Reach {
        /// Directly in the folder.
        case flat
        /// In one folder per version.
        case oneFolderEach
        /// Anywhere below the folder.
        case tree
    }

    /// Which files are read.
    struct Rules {
        /// The maximum size of a file in bytes.
        let limit: Int
        /// Whether a link to a file of the same mount is read.
        let followsLinks: Bool
    }

    /// The files that `layout` needs, or that identify the layout. Only files that can be SQL or settings are
    /// opened; for the others the name suffices.
    ///
    /// No tool treats hidden files or editors' leftovers as migrations.
    static func read(
        _ folder: FilePath, layout: MigrationLayout?, _ rules: Rules
    ) throws -> [MigrationSource] {
        let (files, folders) = try list(folder)
        var sources = try read(files, in: folder, rules)
        let reach =
            try layout?.rules.reach
            ?? likelyReach(files) { try hasVersionFolder(folder, folders) }
        switch reach {
        case .flat: break
        case .tree:
            for name in folders { try readTree(folder, name, depth: 1, rules, into: &sources) }
        case .oneFolderEach:
            for name in folders { try readVersion(folder, name, rules, into: &sources) }
        }
        return sources.sorted { ExactText($0.path) < ExactText($1.path) }
    }

    /// What the folder would give if it had these files: those within the layout's reach.
    /// - Parameter files: Paths in the folder, and contents.
    static func select(
        _ files: [(name: String, content: String)], layout: MigrationLayout?
    ) -> [MigrationSource] {
        let sources = files.map { file in
            let source = MigrationSource(path: file.name, bytes: [])
            guard MigrationSource.isRead(source.name) else { return source }
            return MigrationSource(path: file.name, bytes: Array(file.content.utf8))
        }
        let names = sources.filter { $0.folder == nil }.map(\.path)
        switch layout?.rules.reach ?? likelyReach(names, { sources.contains(where: isVersion) }) {
        case .flat: return sources.filter { $0.folder == nil }
        case .oneFolderEach:
            return sources.filter { $0.folder?.utf8.contains(UInt8(ascii: "/")) != true }
        case .tree: return sources
        }
    }

    /// Whether it makes its folder a version, or one that belongs to the migrations.
    private static func isVersion(_ source: MigrationSource) -> Bool {
        guard let folder = source.folder else { return false }
        return makesVersion(of: folder) { source.name.hasSameBytes(as: $0) }
    }

    /// Whether a folder is a version, or has drizzle's journal.
    /// - Parameter holds: Whether an item of this name is in the folder.
    private static func makesVersion(
        of folder: some StringProtocol, _ holds: (String) throws -> Bool
    ) rethrows -> Bool {
        if DieselLayout.version(of: folder) != nil || RusqliteLayout.isVersion(folder), try holds("up.sql") {
            return true
        }
        if LooseName(folder)?.prefix.isEmpty == true, try holds("migration.sql") { return true }
        return try folder == "meta" && holds("_journal.json")
    }

    /// The files and folders of a folder. An item that has the name of a migration but is not a file was meant to
    /// run: the folder is malformed.
    private static func list(_ folder: FilePath) throws -> (files: [String], folders: [String]) {
        let entries = try Folder.entries(folder)
        let odd = entries.others.filter { MigrationSource.isRead($0[...]) } + entries.folders.filter(isSQL)
        for name in odd.sortedByBytes() {
            let path = folder.appending(name)
            // The link is not followed: its target does not exist.
            guard let status = try? Stat(path, followTargetSymlink: false) else { continue }
            throw LockstepError(
                .migrationMalformed, "\(path) has the name of a migration but is \(words(status.type)), not a file",
                hint: "replace it with the file, or rename it", context: .file(path))
        }
        return (entries.files, entries.folders)
    }

    private static func words(_ type: FileType) -> String {
        switch type {
        case .directory: "a folder"
        case .symbolicLink: "a symbolic link without a target file"
        case .fifo: "a named pipe"
        case .socket: "a socket"
        case .characterSpecial, .blockSpecial: "a device"
        default: "another kind of item"
        }
    }

    /// Whether the folder itself is a set, as opposed to a folder of sets.
    static func holdsMigrations(_ folder: FilePath, layout: MigrationLayout?) throws -> Bool {
        let entries = try Folder.entries(folder)
        // An item with such a name that is not a file makes the folder a malformed set.
        if (entries.files + entries.others + entries.folders).contains(where: isSQL) { return true }
        switch layout?.rules.reach {
        case .flat: return false
        case .oneFolderEach, nil: return try hasVersionFolder(folder, entries.folders)
        case .tree: return try entries.folders.contains { try hasSQL(folder, $0, depth: 1) }
        }
    }

    /// Deeper than people nest folders.
    private static let deepest = 16

    /// The reach of a folder whose layout is not known yet.
    /// - Parameter names: The names of the files directly in the folder.
    private static func likelyReach(
        _ names: [String], _ hasVersionFolder: () throws -> Bool
    ) rethrows -> Reach {
        if names.contains(where: { PrefixedName.isLikely($0) }) { return .tree }
        return try hasVersionFolder() ? .oneFolderEach : .flat
    }

    /// Whether one of the folders is a version.
    private static func hasVersionFolder(_ folder: FilePath, _ folders: [String]) throws -> Bool {
        try folders.contains { name in
            try makesVersion(of: name) { try holds($0, Folder.entries(folder.appending(name))) }
        }
    }

    /// Items that are not files count as well: they were meant as a version.
    private static func holds(_ name: String, _ entries: Folder.Entries) -> Bool {
        entries.files.contains(name) || entries.others.contains(name) || entries.folders.contains(name)
    }

    /// Whether an item with the name of a migration exists anywhere below the folder.
    private static func hasSQL(
        _ folder: FilePath, _ path: String, depth: Int
    ) throws -> Bool {
        let inner = try innerFolder(folder, path, depth: depth)
        let entries = try Folder.entries(inner)
        if (entries.files + entries.others + entries.folders).contains(where: isSQL) { return true }
        return try entries.folders.contains {
            try hasSQL(folder, "\(path)/\($0)", depth: depth + 1)
        }
    }

    private static func read(
        _ names: [String], in folder: FilePath, below path: String = "", _ rules: Rules
    ) throws -> [MigrationSource] {
        try Parallel.map(names, share: 128) { try source($0, in: folder, below: path, rules) }
    }

    private static func source(
        _ name: String, in folder: FilePath, below path: String, _ rules: Rules
    ) throws -> MigrationSource {
        MigrationSource(
            path: path + name,
            bytes: MigrationSource.isRead(name[...]) ? try bytes(of: folder.appending(name), rules) : [])
    }

    private static func bytes(of path: FilePath, _ rules: Rules) throws -> [UInt8] {
        let file = try target(of: path, rules) ?? path
        do {
            return try FileAccess.read(file, limit: rules.limit)
        } catch let error as LockstepError where error.code == .tooLarge {
            let size = try FileAccess.sizeOfRegularFile(file)
            throw LockstepError(
                .tooLarge,
                "\(path) has \(size) bytes, more than the limit of \(rules.limit) for a migration file",
                advice: "check that this is the intended file, or raise the limit: \(.fileLimit)", context: .file(path))
        }
    }

    /// The file that a link leads to; nil for what is no link.
    private static func target(of path: FilePath, _ rules: Rules) throws -> FilePath? {
        guard try Stat(path, followTargetSymlink: false).type == .symbolicLink else { return nil }
        guard rules.followsLinks else {
            throw LockstepError(
                .notAFile, "\(path) is a symbolic link, which is refused here",
                advice: """
                    give the folder that has the files themselves; where links are how files get here, as in a mounted \
                    ConfigMap, in Nix or Bazel, allow them: \(.followLinks)
                    """, context: .file(path))
        }
        let file = try Folder.resolve(path)
        guard try Stat(file).deviceID == Stat(path.removingLastComponent()).deviceID else {
            throw LockstepError(
                .notAFile, "\(path) is a symbolic link to another mount",
                hint: "replace it with the file", context: .file(path))
        }
        return file
    }

    private static func isSQL(_ name: String) -> Bool { MigrationSource.isSQL(name[...]) }

    private static func readVersion(
        _ folder: FilePath, _ name: String, _ rules: Rules, into sources: inout [MigrationSource]
    ) throws {
        let inner = try ownFolder(folder, name)
        sources += try read(list(inner).files, in: inner, below: "\(name)/", rules)
    }

    private static func readTree(
        _ folder: FilePath, _ path: String, depth: Int, _ rules: Rules, into sources: inout [MigrationSource]
    ) throws {
        let inner = try innerFolder(folder, path, depth: depth)
        let (files, folders) = try list(inner)
        sources += try read(files, in: inner, below: "\(path)/", rules)
        for name in folders {
            try readTree(folder, "\(path)/\(name)", depth: depth + 1, rules, into: &sources)
        }
    }

    private static func innerFolder(
        _ folder: FilePath, _ path: String, depth: Int
    ) throws -> FilePath {
        let inner = try ownFolder(folder, path)
        guard depth <= deepest else {
            throw LockstepError(
                .migrationMalformed, "\(inner) is more than \(deepest) folders deep",
                hint: "check that this is the intended folder", context: .file(inner))
        }
        return inner
    }

    /// A link could lead anywhere, including in circles.
    private static func ownFolder(_ folder: FilePath, _ path: String) throws -> FilePath {
        let inner = folder.appending(path)
        let status = try translatingErrno("look at", inner) {
            try Stat(inner, followTargetSymlink: false)
        }
        guard status.type == .directory else {
            throw LockstepError(
                .migrationMalformed, "\(inner) is a symbolic link to a folder",
                hint: "replace the link with the folder", context: .file(inner))
        }
        return inner
    }
}
