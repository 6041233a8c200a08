import ArgumentParser
import Lockstep

/// `lockstep unseal`: turns sealed columns back into plaintext.
struct Unseal: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Turn the cells of sealed columns back into plaintext.")

    @OptionGroup var options: SealedColumnOptions

    func run() throws { try options.change("unsealed", .unprotect) }
}
