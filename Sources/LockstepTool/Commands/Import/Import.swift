import ArgumentParser
import Lockstep

/// `lockstep import`: imports files into the model stores.
struct Import: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Import files into one of the model stores.", subcommands: Models.whole.map { $0.importCommand })
}
