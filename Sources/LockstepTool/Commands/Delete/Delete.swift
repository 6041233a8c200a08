import ArgumentParser
import Lockstep

/// `lockstep delete`: deletes one entry of a model store.
struct Delete: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Delete one entry of a model store.", subcommands: Models.all.map { $0.deleteCommand })
}
