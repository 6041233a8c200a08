/// A database's keyring that was opened, and its file.
package final class OpenedKeyring {
    package let file: KeyringFile
    package var keyring: Keyring
    private let reopen: (() throws -> Keyring)?

    /// - Parameters:
    ///   - keyring: The keyring as opened from `file`.
    ///   - reopen: Opens it again if someone has given it another ring key; nil to refuse that.
    package init(_ file: KeyringFile, _ keyring: consuming Keyring, reopen: (() throws -> Keyring)? = nil) {
        self.file = file
        self.reopen = reopen
        self.keyring = keyring
    }

    /// Reads the file again.
    /// - Returns: Whether it has another version.
    package func reread() throws -> Bool { try file.reread(&keyring, reopen) }
}

/// The fields keyring of one dataset that was opened: its file and its keys.
package final class OpenedFields {
    package let file: KeyringFile
    /// The dataset's name.
    package let name: String
    package var keyring: Keyring
    /// The keys that open the dataset's cells.
    package private(set) var keys: FieldKeys
    private let reopen: (() throws -> Keyring)?

    /// - Parameters:
    ///   - keyring: The keyring as opened from `file`.
    ///   - reopen: Opens it again if someone has given it another ring key; nil to refuse that.
    package init(
        _ file: KeyringFile, named name: String, _ keyring: consuming Keyring, reopen: (() throws -> Keyring)? = nil
    ) throws {
        self.file = file
        self.name = name
        self.reopen = reopen
        keys = try keyring.fieldKeys(named: name)
        self.keyring = keyring
    }

    /// Whether the keyring remembers any database.
    package var isUsed: Bool { !keys.memory.records.isEmpty }

    /// Reads the file again.
    /// - Returns: Whether it has another version.
    package func reread() throws -> Bool {
        guard try file.reread(&keyring, reopen) else { return false }
        try renew()
        return true
    }

    /// Takes the keys, and what is remembered, from the keyring as it is now.
    package func renew() throws { keys = try keyring.fieldKeys(named: name) }
}

extension KeyringFile {
    /// Reads the file again. If someone has given it another ring key, it is opened again.
    /// - Returns: Whether it has another version.
    package func reread(
        _ keyring: inout Keyring, _ reopen: (() throws -> Keyring)?
    ) throws -> Bool {
        do {
            return try reread(&keyring)
        } catch let error as LockstepError where error.code == .keyringChanged {
            guard let reopen, exists else { throw error }
            keyring = try reopen()
            return true
        }
    }
}
