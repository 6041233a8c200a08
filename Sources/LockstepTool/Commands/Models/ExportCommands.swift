import ArgumentParser
import Lockstep
import SystemPackage

/// `lockstep export`: what others can read, out of the database.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Write the whole database, or what a model store holds, to files of another kind.",
        subcommands: [
            Whole.self, Contacts.self, Microblog.self, Movies.self, Notes.self, Photos.self,
        ],
        defaultSubcommand: Whole.self)
}

extension Export {
    /// `lockstep export FILE`: the whole database, unencrypted.
    struct Whole: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "database",
            abstract: "Write the whole database to a plaintext SQLite file.",
            discussion: """
                Whoever reads the file reads everything, and deleting it later does not undo that on most \
                disks. Only you may read it at first, and that is all that protects it. It is compared with \
                the database row by row before it gets its name; nothing that stands there is overwritten.

                `lockstep backup` makes a copy that stays encrypted, and `lockstep keys export-raw` lets \
                another SQLCipher program read the database as it is.
                """)

        @Argument(help: "The plaintext file to make.")
        var target: String

        @Flag(help: "Say that the file shall not be encrypted.")
        var plaintext = false

        @Flag(help: "Confirm that everybody who gets the file may read everything in it.")
        var iUnderstand = false

        @OptionGroup var access: AccessOptions
        @OptionGroup var output: FormatOptions

        func run() throws {
            guard plaintext, iUnderstand else {
                throw ValidationError(
                    "the file will not be encrypted, whoever gets it reads everything, and deleting it "
                        + "later does not undo that: confirm with --plaintext --i-understand")
            }
            let session = try access.session()
            let progress = CopyProgressLine("export")
            let report = try session.store().exportPlaintext(to: FilePath(target)) {
                try progress.tell($0)
            }
            let result = CopyResult(report, from: session.path, to: FilePath(target))
            guard output.format == .text else { return try Output.json(result) }
            result.tell("exported")
            Output.line("\(target) is NOT encrypted: destroy it when it has served")
        }
    }
}
