import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
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
}
