import ArgumentParser
import Lockstep
import SystemPackage

/// The database.
struct DatabaseOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: "The database file. (default: the variable LOCKSTEP_DATABASE)")
    var database: String?

    func validate() throws { _ = try path() }

    func path() throws -> FilePath { try Self.path(database) }

    /// The named database, or the one in the variable.
    static func path(_ name: String?) throws -> FilePath {
        guard let name = name ?? Environment.text("LOCKSTEP_DATABASE"), !name.isEmpty else {
            throw ValidationError("no database named: use --database FILE, or set LOCKSTEP_DATABASE")
        }
        return FilePath(name)
    }
}

/// The migrations.
struct MigrationOptions: ParsableArguments {
    @Option(
        name: [.customShort("m"), .customLong("migrations")], parsing: .singleValue,
        help: ArgumentHelp(
            """
            A migration set's folder, or a folder of such folders. (default: the variable LOCKSTEP_MIGRATIONS, or \
            Migrations)
            """,
            valueName: "migrations"))
    var folders: [String] = []

    @Option(
        help: """
            The only set to use from a folder of sets; or a name for a set whose folder has no valid set \
            name.
            """)
    var set: String?

    @Option(
        help: ArgumentHelp(
            "The tool whose file names and markers the migrations use. (default: detected)",
            discussion: "One of \(Self.layouts.joined(separator: ", ")).", valueName: "layout"),
        completion: .list(Self.layouts), transform: Self.layout)
    var layout: MigrationLayout?

    @Option(
        help: ArgumentHelp(
            "The maximum size of a migration file: bytes, or a number with K, M or G. (default: 8M)",
            valueName: "size"),
        transform: MemorySize.bytes)
    var maxFile: Int?

    @Flag(help: "Read symbolic links to files of the same mount, as in a mounted ConfigMap, in Nix or Bazel.")
    var followLinks = false

    @Option(
        name: .customLong("declare"), parsing: .singleValue,
        help: ArgumentHelp(
            "A directive for a version whose file lacks it and must not change.",
            discussion: """
                For example '3: allow loss of table drafts', '3 down: foreign keys off', '3: allow broken references \
                of table T', or 'all: foreign keys off'. Can be repeated. A notice reports the effect.
                """, valueName: "version: directive"),
        transform: Declaration.init)
    var declarations: [Declaration] = []

    @Option(
        help: ArgumentHelp(
            "A file with such directives, one a line, as `lockstep plan --write-declare` writes it.",
            valueName: "file"))
    var declareFile: String?

    /// With two folders, one would be silently ignored.
    func validate() throws {
        guard folders.count <= 1 else {
            throw ValidationError(
                "--migrations takes one folder, but was given \(folders.joined(separator: " and ")): "
                    + "name the folder that contains both, or run the command once for each")
        }
    }

    /// The named folder, or the one in the variable.
    private var named: String? { folders.first ?? Environment.text("LOCKSTEP_MIGRATIONS") }

    /// The named folder, or the default.
    var folder: FilePath { FilePath(named ?? "Migrations") }

    /// The folder of the one set that a command makes or extends: the named set's below the folder, or the folder.
    var setFolder: FilePath { self.set.map { folder.appending($0) } ?? folder }

    /// The maximum size of a migration file in bytes.
    var largestFile: Int { maxFile ?? MigrationSet.defaultLargestFile }

    private static let layouts = MigrationLayout.allCases.map(\.rawValue)

    private static func layout(_ text: String) throws -> MigrationLayout {
        guard let layout = MigrationLayout(rawValue: text) else {
            throw ValidationError("expected one of \(layouts.joined(separator: ", "))")
        }
        return layout
    }

    /// The same for a command that can do without; nil if no folder was named and the default does not exist.
    func setsIfAny(for engine: DatabaseEngine = .sqlite) throws -> [MigrationSet]? {
        let isNamed =
            named != nil || self.set != nil || !declarations.isEmpty || declareFile != nil
        guard isNamed || FileAccess.exists(folder) else { return nil }
        return try sets(for: engine)
    }

    /// The sets as their files have them, without declarations.
    func files(for engine: DatabaseEngine) throws -> [MigrationSet] {
        try MigrationSet.sets(
            in: folder, named: self.set, layout: layout, largestFile: largestFile, followingLinks: followLinks,
            engine: engine)
    }

    /// - Parameter what: The option or command that needs exactly one set, if any does.
    /// - Parameter engine: The engine that runs them.
    func sets(
        oneFor what: String? = nil, for engine: DatabaseEngine = .sqlite
    ) throws -> [MigrationSet] {
        var sets = try files(for: engine)
        for set in sets where !set.ignoredFiles.isEmpty {
            Output.note(
                "notice: ignored, not \(set.layout.rawValue) migrations: " + set.ignoredFiles.joined(separator: ", "))
        }
        if let name = self.set, !sets.contains(where: { $0.name == name }) {
            throw LockstepError(
                .notFound, "there is no set \(name) in \(folder)",
                hint: "it has \(sets.map(\.name).joined(separator: ", "))", context: .init(set: name))
        }
        let filed = try declareFile.map { try Declaration.read(FilePath($0)) } ?? []
        let declaring = declarations.isEmpty ? declareFile.map { _ in "--declare-file" } : "--declare"
        if sets.count != 1, let what = declaring ?? what {
            throw ValidationError("\(what) needs one set: name it with --set")
        }
        for declaration in filed + declarations { sets[0] = try declaration.adding(to: sets[0]) }
        return sets
    }
}

/// Text or JSON.
struct FormatOptions: ParsableArguments {
    @Option(help: "text, or json for programs.")
    var format: OutputFormat = .text
}
