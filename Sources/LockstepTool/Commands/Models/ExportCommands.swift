import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// `lockstep export`: writes data to files that other programs can read.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Write the whole database or a model store to files of another format.",
        subcommands: [Whole.self] + Models.all.map { $0.exportCommand },
        defaultSubcommand: Whole.self)
}

extension Export {
    /// `lockstep export FILE`: the whole database, unencrypted.
    struct Whole: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "database",
            abstract: "Write the whole database to a plaintext SQLite file.",
            discussion: """
                Anyone who can read the file can read all data, and on most disks the data remains after the \
                file is deleted. The file's only protection is that at first only you may read it. It is \
                compared with the database row by row before it gets its name. An existing file is not \
                overwritten.

                `lockstep backup` makes a copy that stays encrypted, and `lockstep keys export-raw` lets \
                another SQLCipher program read the database as it is.
                """)

        @Argument(help: "The plaintext file to make.")
        var target: String

        @Flag(help: "Confirm that the file is not encrypted.")
        var plaintext = false

        @Flag(help: "Confirm that anyone who gets the file may read everything in it.")
        var iUnderstand = false

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            guard plaintext, iUnderstand else {
                throw ValidationError(
                    "the file will not be encrypted, anyone who gets it can read everything, and deleting it "
                        + "later does not undo that: confirm with --plaintext --i-understand")
            }
            let session = try access.session()
            let progress = CopyProgressLine("export")
            let report = try PlaintextExport(to: FilePath(target)).run(on: session.store()) {
                try progress.show($0)
            }
            let result = CopyResult(report, from: session.path, to: FilePath(target))
            guard output.format == .text else { return try Output.json(result) }
            result.show("exported")
            Output.line("\(target) is NOT encrypted: destroy it after use")
        }
    }
}

/// `lockstep export MODEL TARGET`
struct ExportModel<Commands: ModelCommands>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Commands.Model.setName, abstract: Commands.Target.abstract,
            discussion: Commands.advice)
    }

    @Argument(help: Commands.Target.argument)
    var target: String

    @OptionGroup var choices: Commands.Target
    @OptionGroup var protection: ExportProtection
    @OptionGroup var access: AccessOptions
    @OptionGroup var output: FormatOptions

    func run() throws {
        let store = try access.model(Commands.Model.self)
        let count = try choices.write(
            store, to: FilePath(target), sealedFor: protection.keys())
        try protection.show(count, Commands.entries, target, output)
    }
}
