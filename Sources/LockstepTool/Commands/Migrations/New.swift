import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep new`: makes the files of the next version.
struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the files of the next version of a migration set.",
        discussion: """
            Uses the set's layout and the next number or time. In an empty or new folder, the layout is \
            Lockstep's own unless --layout names another. A folder with exactly one set stands for that set.
            """)

    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "What the version does, such as add_ratings.")
    var name: String

    func run() throws {
        let (folder, set) = try target()
        let draft = try MigrationDraft(named: name, after: set)
        let paths = try draft.write(into: folder).map(\.string)
        switch output.format {
        case .json:
            try Output.json(
                ["set": set.name, "version": draft.version, "files": paths] as JSONObject)
        case .text: for path in paths { Output.line("made \(path)") }
        }
    }

    /// The folder of the set that gets the version. An empty folder, or one that does not exist, is a new set.
    private func target() throws -> (folder: FilePath, set: MigrationSet) {
        let folder = migrations.setFolder
        guard FileAccess.exists(folder) else { return (folder, try newSet(in: folder)) }
        let found = try MigrationSet.folders(in: folder, layout: migrations.layout).folders
        guard found.count <= 1 else {
            throw ValidationError("\(folder) contains several sets: name one with --set")
        }
        guard let only = found.first else { return (folder, try newSet(in: folder)) }
        let sets = try MigrationSet.sets(
            in: only, layout: migrations.layout, largestFile: migrations.largestFile,
            followingLinks: migrations.followLinks)
        return (only, sets[0])
    }

    private func newSet(in folder: FilePath) throws -> MigrationSet {
        try MigrationSet(name: MigrationSet.name(of: folder), layout: migrations.layout ?? .native, files: [])
    }
}
