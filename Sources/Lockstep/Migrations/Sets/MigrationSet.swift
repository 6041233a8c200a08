public import SystemPackage

/// The versions of one schema, in their order. A database may carry several sets.
public struct MigrationSet: Sendable, Equatable {
    /// The set's name: its folder's.
    public let name: String
    /// Whose file names and markers it uses.
    public let layout: MigrationLayout
    /// The versions, ascending. Two files may claim one version; the plan reports that.
    public internal(set) var files: [MigrationFile]
    /// Versions that are written in Swift.
    var code: [CodeMigration] = []
    /// What is declared about ways down from outside of them.
    var downDeclarations: [MigrationVersion: [Directive]] = [:]
    /// Versions of the folder that another tool runs as programs: each needs a ``CodeMigration`` of its
    /// version in its place.
    public let foreignCode: [ForeignCode]
    /// What is run again whenever it has changed, after all versions, in this order.
    public let repeatables: [MigrationFile]
    /// What leads from an empty database to a later version in one step, ascending.
    public internal(set) var baselines: [MigrationFile]
    /// SQL files of the folder that are no migrations in its layout.
    public let ignoredFiles: [String]

    /// A set out of files that were read elsewhere, such as compiled into the program.
    /// - Parameters:
    ///   - layout: Whose file names and markers it uses; by default that is told by the files.
    ///   - files: Paths in the set's folder, with `/` between the names, and contents.
    /// - Throws: ``LockstepError/Code/migrationMalformed``.
    public init(
        name: String, layout: MigrationLayout? = nil, files: [(name: String, content: String)]
    ) throws(LockstepError) {
        try self.init(
            name: name, layout: layout,
            sources: files.map { file in
                MigrationSource(path: file.name, bytes: Array(file.content.utf8))
            })
    }

    private init(
        name: String, layout wanted: MigrationLayout?, sources: [MigrationSource]
    ) throws(LockstepError) {
        guard PlainName.isValid(name) else {
            throw LockstepError(
                .migrationMalformed, "a migration set cannot be named “\(name)”",
                hint: "name its folder with \(PlainName.rule), or name the set with --set")
        }
        let layout: MigrationLayout
        if let wanted {
            layout = wanted
        } else {
            layout = try LayoutDetection.layout(of: sources)
        }
        let contents = try layout.read(sources)
        self.name = name
        self.layout = layout
        files = contents.versions.sorted { ($0.version, $0.fileName) < ($1.version, $1.fileName) }
        foreignCode = contents.code.sorted { ($0.version, $0.fileName) < ($1.version, $1.fileName) }
        repeatables = contents.repeatables
        baselines = contents.baselines
        ignoredFiles = contents.ignoredFiles.sorted()
        try Self.requireOneOrder(files, layout)
    }

    /// How many bytes a migration file may have unless another limit is given: 8 MiB. A migration is text that
    /// a person wrote, and is held in memory several times while it is taken apart.
    public static let defaultLargestFile = 8 * 1024 * 1024

    /// Reads the set that a folder holds. What is no migration to its layout is left alone.
    /// - Parameters:
    ///   - layout: Whose file names and markers it uses; by default that is told by the files.
    ///   - largestFile: How many bytes a file may have.
    /// - Throws: ``LockstepError/Code/notFound``, ``LockstepError/Code/migrationMalformed``, also for what has a
    ///   migration's name and is no file; ``LockstepError/Code/tooLarge``.
    public init(
        folder: FilePath, layout: MigrationLayout? = nil, largestFile: Int = defaultLargestFile
    ) throws {
        try self.init(
            folder: folder, layout: layout, name: try Folder.name(of: folder), largestFile)
    }

    private init(
        folder: FilePath, layout: MigrationLayout?, name: String, _ largestFile: Int
    ) throws {
        try self.init(
            name: name, layout: layout,
            sources: try MigrationFolder.read(folder, layout: layout, limit: largestFile))
    }

    /// What the set in a folder is called: as the folder.
    /// - Throws: ``LockstepError/Code/notFound``.
    public static func name(of folder: FilePath) throws -> String { try Folder.name(of: folder) }

    /// Reads the sets of a folder: the one it is, or else one for each of its folders that holds
    /// migrations, by name; with a name, only that one.
    ///
    /// A folder that is a set, and whose own name cannot be a set's, gives it the name that is wanted.
    /// - Parameters:
    ///   - layout: Whose file names and markers they use; by default that is told by the files.
    ///     With `refinery` or `flyway`, which read subfolders, a folder with migrations anywhere below it is
    ///     one set, unless a name is given that one of its folders has.
    ///   - largestFile: How many bytes a file may have.
    /// - Throws: ``LockstepError/Code/notFound`` if there is none; as ``init(folder:layout:largestFile:)``.
    public static func sets(
        in folder: FilePath, named wanted: String? = nil, layout: MigrationLayout? = nil,
        largestFile: Int = defaultLargestFile
    ) throws -> [MigrationSet] {
        let (_, folders) = try Folder.list(folder)
        let isInside = wanted.map { folders.contains($0) } ?? false
        let direct = layout?.reach == .tree && isInside ? MigrationLayout.native : layout
        if try MigrationFolder.holdsMigrations(folder, layout: direct) {
            let own = try Folder.name(of: folder)
            let name = PlainName.isValid(own) ? own : wanted ?? own
            return [try MigrationSet(folder: folder, layout: layout, name: name, largestFile)]
        }
        var sets: [MigrationSet] = []
        for name in folders where wanted == nil || wanted == name {
            let inner = folder.appending(name)
            guard try MigrationFolder.holdsMigrations(inner, layout: layout) else { continue }
            sets.append(
                try MigrationSet(folder: inner, layout: layout, largestFile: largestFile))
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

    /// `set` with `baseline` in the place of all versions up to its own.
    init(_ set: MigrationSet, from baseline: MigrationFile) {
        (name, layout) = (set.name, set.layout)
        (repeatables, baselines, ignoredFiles) = (set.repeatables, set.baselines, set.ignoredFiles)
        files = [baseline] + set.files.filter { $0.version > baseline.version }
        code = set.code.filter { $0.version > baseline.version }
        downDeclarations = set.downDeclarations
        foreignCode = set.foreignCode.filter { $0.version > baseline.version }
    }

    /// Where the order of names is not that of numbers, the folder was never run in the latter.
    private static func requireOneOrder(
        _ files: [MigrationFile], _ layout: MigrationLayout
    ) throws(LockstepError) {
        for (one, next) in zip(files, files.dropFirst()) where one.version < next.version {
            guard let text = layout.orderingText(of: one.fileName),
                let nextText = layout.orderingText(of: next.fileName), text > nextText
            else { continue }
            throw LockstepError(
                .migrationMalformed,
                "\(layout.rawValue) runs \(next.fileName) before \(one.fileName), by their names, "
                    + "and their numbers say otherwise",
                hint: "give them numbers of the same length")
        }
    }
}
