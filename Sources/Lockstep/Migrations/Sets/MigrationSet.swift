public import SystemPackage

/// The versions of one schema, in order. A database can have several sets.
public struct MigrationSet: Sendable, Equatable {
    /// The name of the set, which is the name of its folder.
    public let name: String
    /// The layout that defines its file names and markers.
    public let layout: MigrationLayout
    /// The engine that it is for.
    public let engine: DatabaseEngine
    /// The versions that exist for other engines alone.
    let versionsElsewhere: [MigrationVersion]
    /// The versions in ascending order. Two files can have the same version; the plan reports that.
    public internal(set) var files: [MigrationFile]
    /// Versions written in Swift.
    var code: [CodeMigration] = []
    /// The directives declared for ways down from outside their files.
    var downDeclarations: [MigrationVersion: [Directive]] = [:]
    /// Versions of the folder that another tool runs as programs. Each needs a ``CodeMigration`` with the same
    /// version in its place.
    public let externalCode: [ExternalCode]
    /// The migrations that run after all versions, in this order, whenever they have changed.
    public let repeatables: [MigrationFile]
    /// The migrations that lead from an empty database to a later version in one step, in ascending order.
    public internal(set) var baselines: [MigrationFile]
    /// SQL files in the folder that are not migrations in its layout.
    public let ignoredFiles: [String]

    /// A set of files that the program supplies, for example compiled in.
    /// - Parameters:
    ///   - name: The set's name.
    ///   - layout: The layout that defines the file names and markers; nil detects it from the files.
    ///   - files: Paths in the set's folder, separated by `/`, and contents. They count as they would in a folder:
    ///     those that are not migrations in the layout, nor settings, are ignored.
    ///   - engine: The engine that the set is for, which chooses between a version's files.
    /// - Throws: ``LockstepError/Code/migrationMalformed``.
    public init(
        name: String, layout: MigrationLayout? = nil, files: [(name: String, content: String)],
        engine: DatabaseEngine = .sqlite
    ) throws(LockstepError) {
        try self.init(name: name, layout: layout, engine, sources: MigrationFolder.select(files, layout: layout))
    }

    private init(
        name: String, layout wanted: MigrationLayout?, _ engine: DatabaseEngine,
        sources: [MigrationSource]
    ) throws(LockstepError) {
        guard PlainName.isValid(name) else {
            throw LockstepError(
                .migrationMalformed, "a migration set cannot be named “\(name)”",
                advice: "rename its folder to \(PlainName.rule), or \(.nameSet)")
        }
        self.engine = engine
        let sources =
            engine == .sqlite
            ? sources : sources.map { MigrationSource(path: $0.path, bytes: $0.bytes, engine: engine) }
        let contents: LayoutContents
        let dialects = SQLDialect.select(sources, for: engine)
        var ignored: [String] = []
        do throws(LockstepError) {
            layout = if let wanted { wanted } else { try LayoutDetection.layout(of: dialects.sources) }
            if layout == .native {
                let variants = EngineVariants(sources, for: engine)
                versionsElsewhere = variants.versionsElsewhere
                contents = try layout.rules.read(variants.sources)
            } else {
                versionsElsewhere = []
                contents = try layout.rules.read(dialects.sources)
                ignored = dialects.ignored
            }
            files = contents.versions.sorted {
                ($0.version, ExactText($0.fileName)) < ($1.version, ExactText($1.fileName))
            }
            try Self.requireOneOrder(files, layout)
        } catch {
            throw error.adding(.init(set: name))
        }
        self.name = name
        externalCode = contents.code.sorted {
            ($0.version, ExactText($0.fileName)) < ($1.version, ExactText($1.fileName))
        }
        repeatables = contents.repeatables
        baselines = contents.baselines
        ignoredFiles = (contents.ignoredFiles + ignored).sortedByBytes()
    }

    /// The default size limit of a migration file: 8 MiB. A person writes migrations by hand, and parsing holds a
    /// file in memory several times.
    public static let defaultLargestFile = 8 * 1024 * 1024

    /// Reads the set in a folder. Files that are not migrations in its layout are ignored.
    /// - Parameters:
    ///   - folder: The folder, whose name becomes the set's name.
    ///   - layout: The layout that defines the file names and markers; nil detects it from the files.
    ///   - largestFile: The maximum size of a file in bytes.
    ///   - followingLinks: Whether a symbolic link to a file of the same mount is read; links to folders are not followed.
    ///   - engine: The engine that the set is for, which chooses between a version's files.
    /// - Throws: ``LockstepError/Code/notFound``, ``LockstepError/Code/migrationMalformed``, also for an item
    ///   that has the name of a migration but is not a file; ``LockstepError/Code/tooLarge``.
    public init(
        folder: FilePath, layout: MigrationLayout? = nil, largestFile: Int = defaultLargestFile,
        followingLinks: Bool = false, engine: DatabaseEngine = .sqlite
    ) throws {
        try self.init(
            folder: folder, layout: layout, engine, name: try Self.name(of: folder),
            .init(limit: largestFile, followsLinks: followingLinks))
    }

    private init(
        folder: FilePath, layout: MigrationLayout?, _ engine: DatabaseEngine, name: String,
        _ rules: MigrationFolder.Rules
    ) throws {
        try self.init(
            name: name, layout: layout, engine, sources: try MigrationFolder.read(folder, layout: layout, rules))
    }

    /// The name of the set in a folder: the folder's name, in lower case and with `-` for what a set's name cannot
    /// contain. The folder need not exist yet.
    /// - Throws: Errors of the system, such as ``LockstepError/Code/accessDenied``.
    public static func name(of folder: FilePath) throws -> String {
        name(ofFolder: try RealPath.of(folder).lastComponent?.string ?? "")
    }

    private static func name(ofFolder own: String) -> String {
        guard !PlainName.isValid(own) else { return own }
        let derived = PlainName.derived(from: own)
        // Without a letter or digit it is refused as it is.
        return derived.isEmpty ? own : derived
    }

    /// Reads the sets of a folder: the folder itself if it contains migrations, otherwise one set for each
    /// subfolder that contains migrations, by name. With a name, reads only that set.
    ///
    /// If the folder is a set and its own name is not a valid set name, the set gets the given name, or one that is
    /// derived from the folder's: see ``name(of:)``.
    /// - Parameters:
    ///   - folder: The folder.
    ///   - wanted: The name of the one set to read; nil for all.
    ///   - layout: The layout that defines the file names and markers; nil detects it from the files. With
    ///     `refinery` or `flyway`, which read subfolders, a folder with migrations anywhere below it is one set,
    ///     unless the given name is the name of one of its folders.
    ///   - largestFile: The maximum size of a file in bytes.
    ///   - followingLinks: Whether a symbolic link to a file of the same mount is read; links to folders are not followed.
    ///   - engine: The engine that the sets are for, which chooses between a version's files.
    /// - Throws: ``LockstepError/Code/notFound`` if there is none; the errors of
    ///   ``init(folder:layout:largestFile:followingLinks:engine:)``.
    public static func sets(
        in folder: FilePath, named wanted: String? = nil, layout: MigrationLayout? = nil,
        largestFile: Int = defaultLargestFile, followingLinks: Bool = false, engine: DatabaseEngine = .sqlite
    ) throws -> [MigrationSet] {
        let found = try folders(in: folder, named: wanted, layout: layout)
        var sets: [MigrationSet] = []
        for place in found.folders {
            let own = try RealPath.of(place).lastComponent?.string ?? ""
            let isDirect = found.isDirect && !PlainName.isValid(own)
            let set = try MigrationSet(
                folder: place, layout: layout, engine,
                name: isDirect ? wanted ?? name(ofFolder: own) : name(ofFolder: own),
                .init(limit: largestFile, followsLinks: followingLinks))
            guard !sets.contains(where: { $0.name == set.name }) else {
                throw LockstepError(
                    .migrationMalformed, "two folders in \(folder) make the set \(set.name)",
                    hint: "rename one of them to \(PlainName.rule)", context: .file(place))
            }
            sets.append(set)
        }
        guard !sets.isEmpty else {
            throw LockstepError(
                .notFound, "there are no migrations in \(wanted.map { folder.appending($0) } ?? folder)",
                hint: "expected files such as 0001_create_tables.sql, or folders with such files",
                context: .file(folder))
        }
        return sets
    }

    /// The folders of the sets that ``sets(in:named:layout:largestFile:followingLinks:engine:)`` reads, and whether that
    /// is the folder itself.
    package static func folders(
        in folder: FilePath, named wanted: String? = nil, layout: MigrationLayout? = nil
    ) throws -> (folders: [FilePath], isDirect: Bool) {
        let (_, names) = try Folder.list(folder)
        let isInside = wanted.map { names.containsBytes(of: $0) } ?? false
        let direct = layout?.rules.reach == .tree && isInside ? MigrationLayout.native : layout
        if try MigrationFolder.holdsMigrations(folder, layout: direct) { return ([folder], true) }
        let chosen = names.filter {
            wanted == nil || wanted?.hasSameBytes(as: $0) == true || wanted == name(ofFolder: $0)
        }
        let inner = chosen.map { folder.appending($0) }
        return (
            try inner.filter { try MigrationFolder.holdsMigrations($0, layout: layout) }, false
        )
    }

    /// `set` with `baseline` in place of all versions up to the baseline's.
    init(_ set: MigrationSet, from baseline: MigrationFile) {
        (name, layout, engine) = (set.name, set.layout, set.engine)
        versionsElsewhere = set.versionsElsewhere
        (repeatables, baselines, ignoredFiles) = (set.repeatables, set.baselines, set.ignoredFiles)
        files = [baseline] + set.files.filter { $0.version > baseline.version }
        code = set.code.filter { $0.version > baseline.version }
        downDeclarations = set.downDeclarations
        externalCode = set.externalCode.filter { $0.version > baseline.version }
    }

    /// Rejects files whose order by name differs from their order by number: the other tool never ran the folder
    /// in numeric order.
    private static func requireOneOrder(
        _ files: [MigrationFile], _ layout: MigrationLayout
    ) throws(LockstepError) {
        for (one, next) in zip(files, files.dropFirst()) where one.version < next.version {
            guard let text = layout.rules.orderingText(of: one.fileName),
                let nextText = layout.rules.orderingText(of: next.fileName), ExactText(text) > ExactText(nextText)
            else { continue }
            throw LockstepError(
                .migrationMalformed,
                "\(layout.rawValue) runs \(next.fileName) before \(one.fileName) because it sorts "
                    + "by name, but their numbers are in the opposite order",
                hint: "give them numbers of the same length", context: .init(file: next.fileName))
        }
    }
}
