import ArgumentParser
import Lockstep

/// `lockstep export`: writes data to files that other programs can read.
struct Export: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract:
            "Write the whole database or a model store to files of another format.",
        subcommands: [Database.self] + Models.whole.map { $0.exportCommand }, defaultSubcommand: Database.self)
}
