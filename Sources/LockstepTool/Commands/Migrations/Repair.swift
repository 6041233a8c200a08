import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep repair`: records edited files of applied versions in the ledger.
struct Repair: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Accept edited files of applied versions.",
        discussion: """
            All applied versions run from their files in an empty database in memory. If the schema that they make \
            is the one that the database has, --apply records the files as they are now: only the ledger changes. \
            Otherwise nothing is accepted. Rows are not compared: they are what the file that ran has made of them. \
            A file that has another version now, and the same text, is that of the version whose file is gone. A set that \
            has another name now keeps its versions with --rename-set OLD=NEW.

            Without --apply the command shows what it would record. `lockstep status` shows repaired versions.
            """)

    @OptionGroup var access: AccessOptions
    @OptionGroup var migrations: MigrationOptions
    @OptionGroup var output: FormatOptions

    @Flag(help: "Record the files.")
    var apply = false

    @Option(
        help: "Record what the database has of the set OLD as versions of NEW.",
        transform: Self.renaming)
    var renameSet: SetRenaming?

    private static func renaming(_ text: String) throws -> SetRenaming {
        let names = text.split(separator: "=", omittingEmptySubsequences: false)
        guard names.count == 2, names.allSatisfy({ !$0.isEmpty }) else {
            throw ValidationError("--rename-set takes the earlier name and the new one: films=movies")
        }
        return SetRenaming(from: String(names[0]), to: String(names[1]))
    }

    private struct Result: Encodable {
        let database: String
        let isApplied: Bool
        let changes: [Change]
    }

    private struct Change: Encodable {
        let set: String
        let version: String
        let newVersion: String?
        let name: String
        let parts: [String]
    }

    func run() throws {
        try access.limitOptions.start()
        let sets = try migrations.sets()
        let session = try access.session()
        let connection = try session.connect(queryOnly: !apply)
        let repair = Lockstep.Repair(sets: sets, renamed: renameSet)
        let changes = try apply ? repair.apply(on: connection) : repair.changes(on: connection)
        try show(changes, session.path.string)
    }

    private func show(_ changes: [Lockstep.Repair.Change], _ database: String) throws {
        guard output.format == .text else {
            return try Output.json(
                Result(
                    database: database, isApplied: apply,
                    changes: changes.map { change in
                        Change(
                            set: change.set, version: change.version.description,
                            newVersion: change.newVersion == change.version ? nil : change.newVersion.description,
                            name: change.name,
                            parts: change.parts.map(\.rawValue))
                    }))
        }
        for change in changes {
            let parts = change.parts.map { part in
                part == .version ? "\(part.words) \(change.newVersion)" : part.words
            }.joined(separator: ", ")
            Output.line("\(change.set) \(change.version) (\(change.name)): other \(parts)")
        }
        switch (changes.isEmpty, apply) {
        case (true, _): Output.line("the ledger agrees with the files")
        case (_, true):
            Output.line("recorded \(counted(changes.count, "version")) as the files are now")
        case (_, false):
            Output.line("the files make the schema that the database has")
            Output.line("nothing was changed: run it with --apply")
        }
    }
}

extension Lockstep.Repair.Change.Part {
    fileprivate var words: String {
        switch self {
        case .statements: "statements"
        case .formatting: "comments or white space"
        case .name: "name"
        case .version: "version"
        case .set: "set"
        case .down: "way down"
        }
    }
}
