import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys export-raw`
    struct ExportRaw: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the database's raw key, for another SQLCipher program.",
            discussion: """
                Whoever has this line opens the database, now and until its key is rotated. In the \
                sqlcipher shell it is used as: PRAGMA key = "<the line>";
                """)

        @OptionGroup var access: AccessOptions

        @Flag(help: "Confirm that the key may be printed.")
        var iUnderstand = false

        func run() throws {
            guard iUnderstand else {
                throw ValidationError(
                    "the raw key opens the database for whoever sees it: confirm with --i-understand"
                )
            }
            let session = try access.session()
            try session.key().writeKeyspec(to: .standardOutput)
        }
    }
}
