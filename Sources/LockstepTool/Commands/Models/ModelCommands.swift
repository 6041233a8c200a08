import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// All model stores, in the order in which help names them.
enum Models {
    static let all: [any ModelCommands.Type] = [
        ContactCommands.self,
        MicroblogCommands.self,
        MovieCommands.self,
        NoteCommands.self,
        PhotoCommands.self,
    ]
}

/// A model store as `import`, `list`, `show` and `export` present it. A new store is a type like this in a file of its
/// own, and a line in ``Models``.
protocol ModelCommands: Sendable {
    associatedtype Model
    associatedtype Source: ModelSource where Source.Model == Model
    associatedtype Selection: ModelSelection where Selection.Model == Model
    associatedtype Target: ModelTarget where Target.Model == Model

    /// One entry, such as `film`.
    static var entry: String { get }
    /// Several entries, such as `films`.
    static var entries: String { get }
    /// The subject of `show`, such as `a film`.
    static var shown: String { get }
    /// The addition to the help of `list`, `show` and `export`.
    static var advice: String { get }

    /// The fields that `show` shows, or nil if there is no entry with this id.
    static func fields(of id: Int64, in store: Model) throws -> KeyValuePairs<String, Value>?
}

extension ModelCommands {
    static var shown: String { "a \(entry)" }
    static var advice: String { "" }

    static var importCommand: any ParsableCommand.Type { Import.Model<Self>.self }
    static var listCommand: any ParsableCommand.Type { List.Model<Self>.self }
    static var showCommand: any ParsableCommand.Type { Show.Model<Self>.self }
    static var exportCommand: any ParsableCommand.Type { Export.Model<Self>.self }
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
