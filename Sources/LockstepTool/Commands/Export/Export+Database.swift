import ArgumentParser
import Lockstep
import SystemPackage

extension Export {
    /// `lockstep export FILE`: the whole database, unencrypted.
    struct Database: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "database", abstract: "Write the whole database to a plaintext SQLite file.",
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

        @Flag(help: "Confirm that anyone who gets the file may read everything in it.") var iUnderstand = false

        @OptionGroup var access: AccessOptions
        @OptionGroup var reading: ReadOnlyOption
        @OptionGroup var output: FormatOptions

        func run() throws {
            try access.limitOptions.start()
            guard plaintext, iUnderstand else {
                throw ValidationError(
                    "the file will not be encrypted, anyone who gets it can read everything, and deleting it "
                        + "later does not undo that: confirm with --plaintext --i-understand")
            }
            let session = try access.session(readOnly: reading.readOnly)
            let progress = CopyProgressLine("export")
            let report = try PlaintextExport(to: FilePath(target)).run(
                on: session.store(isReading: true)
            ) {
                try progress.show($0)
            }
            let result = CopyResult(report, from: session.path, to: FilePath(target))
            guard output.format == .text else { return try Output.json(result) }
            result.show("exported")
            Output.line("\(target) is NOT encrypted: destroy it after use")
            let sealed = try session.connect(queryOnly: true).claimedSealedColumns()
            guard !sealed.isEmpty else { return }
            Output.line(
                "\(sealed.joined(separator: ", ")) \(sealed.count == 1 ? "stays" : "stay") sealed: "
                    + "the cells open only in a Lockstep database, with their fields keyring")
        }
    }
}
