import ArgumentParser
import Lockstep

/// `lockstep list`: lists the entries of a model store.
struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "List the entries of a model store.", subcommands: Models.all.map { $0.listCommand })
}
