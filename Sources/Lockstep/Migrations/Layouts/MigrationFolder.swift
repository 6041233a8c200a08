internal import SystemPackage

/// Reads the files of a migration folder from the disk.
enum MigrationFolder {
    /// How far below the folder a layout's files may lie.
    enum Reach {
        /// Right in it.
        case flat
        /// In a folder for each version.
        case oneFolderEach
        /// Anywhere below it.
        case tree
    }

    /// The files that `layout` may want, or that tell which layout it is. Only what can be SQL or settings
    /// is opened; of all others the name is enough.
    ///
    /// Hidden files, and what editors leave beside a file, are no migrations to any tool.
    static func read(
        _ folder: FilePath, layout: MigrationLayout?
    ) throws -> [MigrationSource] {
        let (files, folders) = try Folder.list(folder)
        var sources = try read(files, in: folder)
        switch try layout?.reach ?? likelyReach(files, folder, folders) {
        case .flat: break
        case .tree:
            for name in folders { try readTree(folder, name, depth: 1, into: &sources) }
        case .oneFolderEach:
            for name in folders { try readVersion(folder, name, into: &sources) }
        }
        return sources.sorted { $0.path < $1.path }
    }

    /// Whether the folder itself is a set, and not a folder of sets.
    static func holdsMigrations(_ folder: FilePath, layout: MigrationLayout?) throws -> Bool {
        let (files, folders) = try Folder.list(folder)
        if files.contains(where: { $0.asciiLowercased.hasSuffix(".sql") }) { return true }
        switch layout?.reach {
        case .flat: return false
        case .oneFolderEach, nil: return try hasVersionFolder(folder, folders)
        case .tree: return try read(folder, layout: layout).contains(where: \.isSQL)
        }
    }

    /// A migration is text that somebody wrote; more is a mistake.
    static let largestFile = 64 * 1024 * 1024

    /// Deeper than people nest folders.
    private static let deepest = 16

    private static func likelyReach(
        _ files: [String], _ folder: FilePath, _ folders: [String]
    ) throws -> Reach {
        if files.contains(where: { PrefixedName.isLikely($0) }) { return .tree }
        return try hasVersionFolder(folder, folders) ? .oneFolderEach : .flat
    }

    /// Whether one of the folders is a version of diesel's.
    private static func hasVersionFolder(_ folder: FilePath, _ folders: [String]) throws -> Bool {
        try folders.contains { name in
            try DieselLayout.version(of: name) != nil
                && Folder.list(folder.appending(name)).files.contains("up.sql")
        }
    }

    private static func read(
        _ names: [String], in folder: FilePath, below path: String = ""
    ) throws -> [MigrationSource] {
        try Parallel.map(names, share: 128) { try source($0, in: folder, below: path) }
    }

    private static func source(
        _ name: String, in folder: FilePath, below path: String
    ) throws -> MigrationSource {
        let isRead = name.asciiLowercased.hasSuffix(".sql") || isSetting(name)
        return MigrationSource(
            path: path + name,
            bytes: isRead
                ? try FileAccess.read(folder.appending(name), limit: largestFile) : [])
    }

    private static func isSetting(_ name: String) -> Bool {
        name == "metadata.toml" || name.asciiLowercased.hasSuffix(".sql.conf")
    }

    private static func readVersion(
        _ folder: FilePath, _ name: String, into sources: inout [MigrationSource]
    ) throws {
        let inner = try ownFolder(folder, name)
        sources += try read(Folder.list(inner).files, in: inner, below: "\(name)/")
    }

    private static func readTree(
        _ folder: FilePath, _ path: String, depth: Int, into sources: inout [MigrationSource]
    ) throws {
        let inner = try ownFolder(folder, path)
        guard depth <= deepest else {
            throw LockstepError(
                .migrationMalformed, "\(inner) lies more than \(deepest) folders deep",
                hint: "check that this is the folder you mean")
        }
        let (files, folders) = try Folder.list(inner)
        sources += try read(files, in: inner, below: "\(path)/")
        for name in folders {
            try readTree(folder, "\(path)/\(name)", depth: depth + 1, into: &sources)
        }
    }

    /// A link could lead anywhere, also in circles.
    private static func ownFolder(_ folder: FilePath, _ path: String) throws -> FilePath {
        let inner = folder.appending(path)
        let status = try translatingErrno("look at", inner) {
            try Stat(inner, followTargetSymlink: false)
        }
        guard status.type == .directory else {
            throw LockstepError(
                .migrationMalformed, "\(inner) is a symbolic link to a folder",
                hint: "put the folder itself there")
        }
        return inner
    }
}
