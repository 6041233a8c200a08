import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys create-key-file`: makes a key file.
    struct CreateKeyFile: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a key file: 32 random bytes that only you can read.",
            discussion: "Keep it apart from the keyring that it opens, and keep a copy.")

        @Argument(help: "The file to make.")
        var file: String

        func run() throws {
            try KeyFile.create(FilePath(file))
            Output.line("made the key file \(file)")
        }
    }

    /// `lockstep keys generate-identity`: makes an identity.
    struct GenerateIdentity: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make an identity and print its recipient.",
            discussion: """
                Keep the file to yourself. The recipient, age1…, is not secret: keyrings are issued to it. \
                Both are in age's notation, as made by age-keygen.
                """)

        @Argument(help: "The file to make.")
        var file: String

        func run() throws {
            let identity = try Identity.generate()
            try identity.create(FilePath(file))
            Output.line("\(identity.recipient)")
        }
    }

    /// `lockstep keys export-recipient`: prints an identity's recipient.
    struct ExportRecipient: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the recipient of an identity. The recipient is not secret.")

        @Argument(help: "The file with the identity.")
        var file: String

        func run() throws { Output.line("\(try Identity.read(FilePath(file)).recipient)") }
    }
}
