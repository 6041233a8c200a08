import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep new`: makes the files of the next version.
struct New: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make the files of the next version of a migration set.",
        discussion: """
            Uses the set's layout and the next number or time. In an empty folder, the layout is \
            Lockstep's own unless --layout names another.
            """)

    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @Argument(help: "What the version does, such as add_ratings.")
    var name: String

    func run() throws {
        let folder = try folder()
        let set = try set(in: folder)
        let draft = try MigrationDraft(named: name, after: set)
        let paths = try draft.write(into: folder).map(\.string)
        switch output.format {
        case .json:
            try Output.json(
                ["set": set.name, "version": draft.version, "files": paths] as JSONObject)
        case .text: for path in paths { Output.line("made \(path)") }
        }
    }

    private func folder() throws -> FilePath {
        let folder = migrations.folder
        guard let name = migrations.set else { return folder }
        return folder.appending(name)
    }

    /// An empty folder is a new set.
    private func set(in folder: FilePath) throws -> MigrationSet {
        do {
            let sets = try MigrationSet.sets(
                in: folder, layout: migrations.layout, largestFile: migrations.largestFile)
            let isOne = try sets.count == 1 && sets[0].name == MigrationSet.name(of: folder)
            guard isOne else {
                throw ValidationError("\(folder) contains several sets: name one with --set")
            }
            return sets[0]
        } catch let error as LockstepError where error.code == .notFound {
            return try MigrationSet(
                name: MigrationSet.name(of: folder), layout: migrations.layout ?? .native, files: []
            )
        }
    }
}
