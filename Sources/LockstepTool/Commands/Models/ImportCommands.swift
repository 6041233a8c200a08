import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// `lockstep import`: imports files into the model stores.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import files into one of the model stores.",
        subcommands: Models.all.map { $0.importCommand })
}

/// `lockstep import MODEL SOURCE`
struct ImportModel<Commands: ModelCommands>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Commands.Model.setName, abstract: Commands.Source.abstract,
            discussion: Commands.Source.discussion)
    }

    @Argument(help: Commands.Source.argument)
    var source: String

    @OptionGroup var choices: Commands.Source
    @OptionGroup var options: ImportOptions

    func run() throws {
        let limits = try options.limitOptions.begin()
        try limits.naming {
            let store = try options.access.session().model(Commands.Model.self, limits)
            let report = try choices.read(FilePath(source), into: store, options.identity())
            try ImportResult.show(
                report, of: source, Commands.entries, unit: Commands.Source.unit, options.output)
        }
    }
}

/// The options of every import: the database, the identity for a sealed file, and the limits.
struct ImportOptions: ParsableArguments {
    @OptionGroup var access: AccessOptions

    @Flag(
        help: """
            Accept an unsealed file although --identity is given, because the identity is for the keyring.
            """)
    var plaintext = false

    @OptionGroup var limitOptions: LimitOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        guard !plaintext || access.credentials.age.identity != nil else {
            throw ValidationError("--plaintext needs --identity")
        }
    }

    /// The identity that opens the file, which is the same as for keyrings. If there is one, the file must be sealed.
    func identity() throws -> ImportIdentity? {
        guard !plaintext, let path = access.credentials.age.identity,
            let identity = try IdentityFile.read(FilePath(path)).identity()
        else { return nil }
        return ImportIdentity(identity)
    }
}

/// The report of an import.
enum ImportResult {
    /// - Parameters:
    ///   - source: The file or folder, as the user named it.
    ///   - kind: The imported entries, such as `films`.
    ///   - unit: The rejected parts of the source, such as `lines`.
    static func show(
        _ report: ImportReport, of source: String, _ kind: String, unit: String,
        _ output: FormatOptions
    ) throws {
        guard output.format == .text else {
            let rejections = report.rejections.map {
                ["file": $0.file, "line": $0.line, "reason": $0.reason] as JSONObject
            }
            try Output.json(
                [
                    "imported": report.imported, "rejected": report.rejected,
                    "rejections": rejections,
                ] as JSONObject)
            return try requireSomething(report, source, kind)
        }
        Output.line(
            "imported \(Output.amount(report.imported, of: kind)), "
                + "left out \(Output.amount(report.rejected, of: unit))")
        for rejection in report.rejections {
            let file = rejection.file.map { "\(source)/\($0)" } ?? source
            let line = rejection.line.map { ":\($0)" } ?? ""
            Output.note("\(file)\(line): left out: \(rejection.reason)")
        }
        if report.rejected > report.rejections.count {
            let more = report.rejected - report.rejections.count
            Output.note("and \(Output.amount(more, of: unit)) more")
        }
        try requireSomething(report, source, kind)
    }

    /// A source whose every entry is rejected is most likely the wrong file. An empty source is not an error.
    private static func requireSomething(
        _ report: ImportReport, _ source: String, _ kind: String
    ) throws(LockstepError) {
        guard report.tookNothing else { return }
        throw LockstepError(
            .malformedInput, "there are no \(kind) in \(source), and nothing was imported",
            hint: "check that this is the right file; `lockstep help import` shows what can be read"
        )
    }
}
