import Lockstep
import SystemPackage

/// A database keyring that a command opened, and its file.
final class OpenedKeyring {
    let file: KeyringFile
    var keyring: Keyring

    init(_ file: KeyringFile, _ keyring: consuming Keyring) {
        self.file = file
        self.keyring = keyring
    }

    /// Reads the file again.
    /// - Returns: Whether it has another version.
    func reread() throws -> Bool { try file.reread(&keyring) }
}
