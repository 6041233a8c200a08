import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys sign`: signs a keyring.
    struct Sign: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Sign a keyring, so that its readers know who issued it.",
            discussion: """
                The publisher's fields keyring signs; the same credentials must open both keyrings. A signed \
                keyring cannot be changed without signing it again.
                """)

        @OptionGroup var access: KeyringAccess

        @Option(help: "The publisher's fields keyring.")
        var publisherKeyring: String

        func run() throws {
            let file = try access.file()
            let source = CredentialSource(access.credentials)
            var keyring = try source.open(file)
            let publisher = try source.open(KeyringFile(FilePath(publisherKeyring)))
            try file.sign(&keyring, as: publisher)
            Output.line("signed \(file.path) as \(try publisher.publisher())")
            access.remember(&keyring, file, source)
        }
    }
}
