import ArgumentParser
import Lockstep
import LockstepModels
import SystemPackage

/// The options of every import: the database, the identity for a sealed file, and the limits.
struct ImportOptions: ParsableArguments {
    @OptionGroup var access: AccessOptions

    @Flag(
        help: """
            Accept an unsealed file although --identity is given, because the identity is for the keyring.
            """)
    var plaintext = false

    @OptionGroup var output: FormatOptions

    func validate() throws {
        guard !plaintext || access.credentials.age.identity != nil else {
            throw ValidationError("--plaintext needs --identity")
        }
    }

    /// The identity that opens the file, which is the same as for keyrings. If there is one, the file must be sealed.
    func identity() throws -> ImportIdentity? {
        guard !plaintext, let path = access.credentials.age.identity,
            let identity = try IdentityFile.read(FilePath(path)).identity()
        else { return nil }
        return ImportIdentity(identity)
    }
}
