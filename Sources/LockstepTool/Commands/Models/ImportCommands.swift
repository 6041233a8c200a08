import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// `lockstep import`: files that people have, into the model stores.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import files into one of the model stores.",
        subcommands: [Contacts.self, Microblog.self, Movies.self, Notes.self, Photos.self])
}

/// What all imports take: which database, what opens the file, and how much it may cost.
struct ImportOptions: ParsableArguments {
    @OptionGroup var access: AccessOptions

    @Flag(
        help: """
            Take a file that is not sealed although --identity is given, because the identity opens the keyring.
            """)
    var plaintext = false

    @OptionGroup var limitOptions: LimitOptions
    @OptionGroup var output: FormatOptions

    func validate() throws {
        guard !plaintext || access.credentials.identity != nil else {
            throw ValidationError("--plaintext is for an import with --identity")
        }
    }

    /// What opens the file: the same identity as for keyrings. With one, the file must be sealed.
    private func identity() throws -> ImportIdentity? {
        guard !plaintext, let path = access.credentials.identity,
            let identity = try IdentityFile.read(FilePath(path)).identity()
        else { return nil }
        return ImportIdentity(identity)
    }

    /// Runs an import and reports what it took.
    /// - Parameters:
    ///   - source: What is imported, as the user named it.
    ///   - kind: What is imported, such as `films`.
    ///   - unit: What is left out, such as `lines`.
    func run<Model: ModelStore>(
        _ model: Model.Type, _ source: String, _ kind: String, unit: String = "lines",
        _ body: (Model, ImportIdentity?) throws -> ImportReport
    ) throws {
        let limits = try limitOptions.begin()
        try limits.naming {
            let report = try body(access.session().model(model, limits), identity())
            try ImportResult.tell(report, of: source, kind, unit: unit, output)
        }
    }
}

/// How an import is told.
struct ImportResult: Encodable {
    private struct Rejection: Encodable {
        let file: String?
        let line: Int?
        let reason: String
    }

    private let imported: Int
    private let rejected: Int
    private let rejections: [Rejection]

    private init(_ report: ImportReport) {
        imported = report.imported
        rejected = report.rejected
        rejections = report.rejections.map {
            Rejection(file: $0.file, line: $0.line, reason: $0.reason)
        }
    }

    /// - Parameters:
    ///   - source: What was imported, as the user named it.
    ///   - kind: What was imported, such as `films`.
    ///   - unit: What is left out, such as `lines`.
    static func tell(
        _ report: ImportReport, of source: String, _ kind: String, unit: String = "lines",
        _ output: FormatOptions
    ) throws {
        guard output.format == .text else {
            try Output.json(ImportResult(report))
            return try requireSomething(report, source, kind)
        }
        Output.line("imported \(report.imported) \(kind), left out \(report.rejected) \(unit)")
        for rejection in report.rejections {
            let file = rejection.file.map { "\(source)/\($0)" } ?? source
            let line = rejection.line.map { ":\($0)" } ?? ""
            Output.note("\(file)\(line): left out: \(rejection.reason)")
        }
        if report.rejected > report.rejections.count {
            Output.note("and \(report.rejected - report.rejections.count) \(unit) more")
        }
        try requireSomething(report, source, kind)
    }

    /// Most likely it is another file than was meant. An empty one is not: it has nothing to take.
    private static func requireSomething(
        _ report: ImportReport, _ source: String, _ kind: String
    ) throws(LockstepError) {
        guard report.tookNothing else { return }
        throw LockstepError(
            .malformedInput, "there are no \(kind) in \(source), and nothing was imported",
            hint: "check that this is the file you mean; `lockstep help import` shows what is read")
    }
}
