import ArgumentParser
import Lockstep
import SystemPackage

extension Keys {
    /// `lockstep keys export-raw`: prints the database's raw key.
    struct ExportRaw: ParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the database's raw key, for another SQLCipher program.",
            discussion: """
                Anyone who has this line can open the database until its key is rotated. In the sqlcipher \
                shell, use it as: PRAGMA key = "<the line>";
                """)

        @OptionGroup var access: AccessOptions

        @Flag(help: "Confirm that the key may be printed.")
        var iUnderstand = false

        func run() throws {
            guard iUnderstand else {
                throw ValidationError("anyone who sees the raw key can open the database: confirm with --i-understand")
            }
            let session = try access.session()
            try session.key().writeKeyspec(to: .standardOutput)
        }
    }
}
