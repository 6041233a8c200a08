import ArgumentParser
import SystemPackage

/// `lockstep-bench corpus`: writes the measured migrations, for reading and for trying other tools.
struct CorpusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "corpus",
        abstract:
            "Write the migrations that `migrate` measures into a folder, in each tool's format.",
        discussion: """
            The folder gets a subfolder each for lockstep (native), for programs that run statements \
            (plain), and for sql-migrate, yoyo, alembic and sqitch. The same number gives the same files.
            """)

    @Argument(help: "The folder, which is made if it does not exist.")
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
