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
}
