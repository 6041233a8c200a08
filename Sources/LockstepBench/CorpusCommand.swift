import ArgumentParser
import SystemPackage

/// `lockstep-bench corpus`: the migrations that are measured, to look at and to try other tools on.
struct CorpusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corpus",
        abstract:
            "Write the migrations that `migrate` measures into a folder, in the form of each tool.",
        discussion: """
            The folder gets one folder each for lockstep (native), for programs that run statements \
            (plain), and for sql-migrate, yoyo, alembic and sqitch. The same number makes the same files.
            """)

    @Argument(help: "The folder, which is made if it is not there.")
    var folder: String

    @Option(help: "How many migrations.")
    var migrations: Int = 700

    func validate() throws {
        guard migrations > 0 else { throw ValidationError("--migrations must be above 0") }
    }

    func run() throws {
        try CorpusFolder.write(MigrationCorpus.migrations(migrations), to: FilePath(folder))
    }
}
