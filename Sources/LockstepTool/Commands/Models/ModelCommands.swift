import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// All model stores, in the order in which help names them.
enum Models {
    static let all: [any ModelCommands.Type] = [
        ContactCommands.self,
        MicroblogCommands.self,
        UserCommands.self,
        MovieCommands.self,
        NoteCommands.self,
        PhotoCommands.self,
    ]

    /// Those that are imported and exported by themselves.
    static let whole = all.filter { !$0.isPart }
}

/// A model store as `import`, `list`, `show`, `export`, `insert`, `update` and `delete` present it. A new store is a
/// type like this in a file of its own, and a line in ``Models``.
protocol ModelCommands: Sendable {
    associatedtype Model
    associatedtype Source: ModelSource where Source.Model == Model
    associatedtype Selection: ModelSelection where Selection.Model == Model
    associatedtype Target: ModelTarget where Target.Model == Model

    /// One entry, such as `film`.
    static var entry: String { get }
    /// Several entries, such as `films`.
    static var entries: String { get }
    /// How commands name it; by default the name of the model's set.
    static var name: String { get }
    /// Whether these are entries of a model whose files have them together with others.
    static var isPart: Bool { get }
    /// The subject of `show`, such as `a film`.
    static var shown: String { get }
    /// The addition to the help of `list`, `show` and `export`.
    static var advice: String { get }

    /// The fields that `show` shows, or nil if there is no entry with this id.
    static func fields(of id: Int64, in store: Model) throws -> KeyValuePairs<String, Value>?

    /// The fields that `insert` and `update` take.
    static var fieldNames: [String] { get }
    /// Inserts an entry and returns its id.
    static func insert(_ fields: EntryFields, into store: Model) throws -> Int64
    /// Changes the given fields of an entry. Returns false if there is no entry with this id.
    static func update(_ id: Int64, _ fields: EntryFields, in store: Model) throws -> Bool
    /// Deletes an entry. Returns false if there is none.
    static func delete(_ id: Int64, from store: Model) throws -> Bool
    /// Deletes the entries with a name, and returns how many; nil if this model's entries have no names.
    static func delete(named name: String, from store: Model) throws -> Int?
}

extension ModelCommands {
    static var name: String { Model.setName }
    static var isPart: Bool { false }
    static var shown: String { "a \(entry)" }
    static var advice: String { "" }

    static func delete(named name: String, from store: Model) throws -> Int? { nil }

    static var importCommand: any ParsableCommand.Type { Import.Model<Self>.self }
    static var listCommand: any ParsableCommand.Type { List.Model<Self>.self }
    static var showCommand: any ParsableCommand.Type { Show.Model<Self>.self }
    static var exportCommand: any ParsableCommand.Type { Export.Model<Self>.self }
    static var insertCommand: any ParsableCommand.Type { Insert.Model<Self>.self }
    static var updateCommand: any ParsableCommand.Type { Update.Model<Self>.self }
    static var deleteCommand: any ParsableCommand.Type { Delete.Model<Self>.self }
}

/// The source of an import, with the options that only this import has.
protocol ModelSource: ParsableArguments {
    associatedtype Model: ModelStore

    static var abstract: String { get }
    static var discussion: String { get }
    /// The argument that names the file or folder.
    static var argument: ArgumentHelp { get }
    /// The parts that an import rejects, such as `lines`.
    static var unit: String { get }

    func read(
        _ path: FilePath, into store: Model, _ identity: ImportIdentity?
    ) throws -> ImportReport
}

/// The entries of a list, with the options that only this list has.
protocol ModelSelection: ParsableArguments {
    associatedtype Model: ModelStore

    static var abstract: String { get }

    func show(_ store: Model, _ output: FormatOptions) throws
}

/// The target of an export, with the options that only this export has.
protocol ModelTarget: ParsableArguments {
    associatedtype Model: ModelStore

    static var abstract: String { get }
    /// The argument that names the file or folder.
    static var argument: ArgumentHelp { get }

    /// Writes the entries and returns how many it wrote.
    /// - Parameter recipients: Empty for plaintext.
    func write(_ store: Model, to path: FilePath, sealedFor recipients: [Recipient]) throws -> Int
}

extension ModelSource {
    static var unit: String { "lines" }
}

extension ModelTarget {
    static var argument: ArgumentHelp { "The file to make." }
}
