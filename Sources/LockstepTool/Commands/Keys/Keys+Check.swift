import ArgumentParser
import Lockstep

extension Keys {
    /// `lockstep keys check`: checks a keyring and its signature.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Check that a keyring opens, that all its keys unwrap, and who signed it.")

        @OptionGroup var access: KeyringAccess

        @Option(help: "The publisher that must have signed it.")
        var publisher: String?

        func run() throws {
            let file = try access.file()
            let keyring = try access.credentials.open(file)
            try keyring.requireSound()
            if let publisher { try keyring.requireSignature(by: Publisher(publisher)) }
            Output.line("\(file.path): the MAC and every key verify")
            Output.line(keyring.signer.map { "signed by \($0)" } ?? "not signed")
        }
    }
}
