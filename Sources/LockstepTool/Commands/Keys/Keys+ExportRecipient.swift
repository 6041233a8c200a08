import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys export-recipient`: prints an identity's recipient.
    struct ExportRecipient: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the recipient of an identity. The recipient is not secret.")

        @Argument(help: "The file with the identity.")
        var file: String

        func run() throws { Output.line("\(try Identity.read(FilePath(file)).recipient)") }
    }
}
