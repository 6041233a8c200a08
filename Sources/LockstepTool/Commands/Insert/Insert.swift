import ArgumentParser
import Lockstep

/// `lockstep insert`: inserts one entry into a model store.
struct Insert: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Insert one entry into a model store.", subcommands: Models.all.map { $0.insertCommand })
}
