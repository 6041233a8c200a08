import ArgumentParser
import Lockstep

/// `lockstep reseal`: seals older cells under the active field key.
struct Reseal: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Reseal the cells that have older field keys under the active one.")

    @OptionGroup var options: SealedColumnOptions

    func run() throws { try options.change("resealed", .reseal) }
}
