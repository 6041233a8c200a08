import ArgumentParser
import Lockstep
import SystemPackage

/// Which database.
struct DatabaseOptions: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: "The database file. (default: the variable LOCKSTEP_DATABASE)")
    var database: String?

    func validate() throws { _ = try path() }

    func path() throws -> FilePath { try Self.path(database) }

    /// The database that is named, or the variable's.
    static func path(_ name: String?) throws -> FilePath {
        guard let name = name ?? Environment.text("LOCKSTEP_DATABASE"), !name.isEmpty else {
            throw ValidationError(
                "no database is named: give --database FILE, or set LOCKSTEP_DATABASE")
        }
        return FilePath(name)
    }
}

/// Where keyrings lie.
struct KeyringOptions: ParsableArguments {
    @Option(
        help: "The folder of the keyrings. (default: the variable LOCKSTEP_KEYS, or Keys)")
    var keys: String?

    @Option(help: "The keyring file, if it is not the database's in the folder of the keyrings.")
    var keyring: String?

    var folder: FilePath {
        FilePath(keys ?? Environment.text("LOCKSTEP_KEYS") ?? "Keys")
    }

    func file(for database: FilePath) -> KeyringFile {
        if let keyring { return KeyringFile(FilePath(keyring)) }
        return KeyringFile.database(for: database, in: folder)
    }
}

/// Which migrations.
struct MigrationOptions: ParsableArguments {
    @Option(
        name: [.customShort("m"), .customLong("migrations")], parsing: .singleValue,
        help: ArgumentHelp(
            "A migration set's folder, or a folder of such folders. (default: Migrations)",
            valueName: "migrations"))
    var folders: [String] = []

    @Option(
        help: """
            Only the set of this name, out of a folder of sets; or what to call a set whose folder's name \
            cannot be one.
            """)
    var set: String?

    @Option(
        help: ArgumentHelp(
            "Whose file names and markers the migrations use. (default: as the files tell)",
            discussion: "One of \(Self.layouts.joined(separator: ", ")).", valueName: "layout"),
        completion: .list(Self.layouts), transform: Self.layout)
    var layout: MigrationLayout?

    @Option(
        help: ArgumentHelp(
            "How large a migration file may be: bytes, or a number with K, M or G. (default: 8M)",
            valueName: "size"),
        transform: MemorySize.bytes)
    var maxFile: Int?

    @Option(
        name: .customLong("declare"), parsing: .singleValue,
        help: ArgumentHelp(
            "What a version's file does not say and must not be changed to say.",
            discussion: """
                As in '3: allow loss of table drafts' or '3 down: foreign keys off'; also: allow broken \
                references of table T; and 'all: foreign keys off'. May be given several times. What then happens is told as a notice.
                """, valueName: "version: directive"),
        transform: Declaration.init)
    var declarations: [Declaration] = []

    /// Of two folders one would go unnoticed.
    func validate() throws {
        guard folders.count <= 1 else {
            throw ValidationError(
                "--migrations takes one folder, and was given \(folders.joined(separator: " and ")): "
                    + "give the folder that both lie in, or run it once for each")
        }
    }

    /// The folder that was named, or the usual one.
    var folder: FilePath { FilePath(folders.first ?? "Migrations") }

    /// How many bytes a migration file may have.
    var largestFile: Int { maxFile ?? MigrationSet.defaultLargestFile }

    private static let layouts = MigrationLayout.allCases.map(\.rawValue)

    private static func layout(_ text: String) throws -> MigrationLayout {
        guard let layout = MigrationLayout(rawValue: text) else {
            throw ValidationError("a layout is one of \(layouts.joined(separator: ", "))")
        }
        return layout
    }

    func sets() throws -> [MigrationSet] {
        var sets = try MigrationSet.sets(
            in: folder, named: self.set, layout: layout, largestFile: largestFile)
        for set in sets where !set.ignoredFiles.isEmpty {
            Output.note(
                "notice: no migration of \(set.layout.rawValue), and left alone: "
                    + set.ignoredFiles.joined(separator: ", "))
        }
        if let name = self.set, !sets.contains(where: { $0.name == name }) {
            throw LockstepError(
                .notFound, "\(folder) is not the set \(name)",
                hint: "it is \(sets.map(\.name).joined(separator: ", "))")
        }
        guard !declarations.isEmpty else { return sets }
        guard sets.count == 1 else {
            throw ValidationError("--declare needs one set: name it with --set")
        }
        for declaration in declarations { sets[0] = try declaration.adding(to: sets[0]) }
        return sets
    }
}

/// Text or JSON.
struct FormatOptions: ParsableArguments {
    @Option(help: "text, or json for programs.")
    var format: OutputFormat = .text
}
