import Lockstep
import Synchronization
import SystemPackage

/// Opens the keyrings of a fleet's files on several threads. What opens them is read, or asked for, once.
// Sendable by this proof: the credentials are used only while the lock is held; the rest is constant, and a
// keyring is only read.
final class FleetKeyrings: @unchecked Sendable {
    private let options: KeyringOptions
    private let credentials: CredentialSource
    private let lock = Mutex(())
    private let shared: Keyring?
    /// The keys of the datasets that are in every file.
    let fields: [FieldKeys]

    /// Opens the one keyring for all files, if one is named, and those of datasets.
    init(
        _ keyrings: KeyringOptions, _ fields: FieldsOptions, _ credentials: CredentialOptions
    ) throws {
        options = keyrings
        self.credentials = CredentialSource(credentials)
        shared =
            if let file = keyrings.keyring {
                try self.credentials.open(KeyringFile(FilePath(file)))
            } else {
                nil
            }
        self.fields = try fields.open(in: keyrings.folder, self.credentials)
    }

    /// Opens a file. Several may stretch a passphrase at a time.
    @Sendable func access(_ path: FilePath) throws -> DatabaseAccess {
        if shared != nil { return try sharedAccess(path) }
        let file = options.file(for: path)
        let keyring = try file.open { slot in
            try lock.withLock { _ in try credentials.credential(for: slot, of: file) }
        }
        return try DatabaseAccess(keyring, for: path)
    }

    private func sharedAccess(_ path: FilePath) throws -> DatabaseAccess {
        switch shared {
        case .some(let keyring): try DatabaseAccess(keyring, for: path)
        case .none: throw LockstepError(.misuse, "there is no keyring for all files")
        }
    }
}
