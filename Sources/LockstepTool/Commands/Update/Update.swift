import ArgumentParser
import Lockstep

/// `lockstep update`: changes one entry of a model store.
struct Update: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Change one entry of a model store.", subcommands: Models.all.map { $0.updateCommand })
}
