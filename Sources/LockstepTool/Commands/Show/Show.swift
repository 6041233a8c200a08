import ArgumentParser
import Lockstep

/// `lockstep show`: shows one entry of a model store in full.
struct Show: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Show one entry of a model store.",
        subcommands: Models.all.map { $0.showCommand })
}
