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
    private let fieldsKeyrings: [FieldsKeyring]
    /// The keys of the datasets that are in every file.
    var fields: [FieldKeys] { fieldsKeyrings.map(\.keys) }

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
        fieldsKeyrings = try fields.open(in: keyrings.folder, self.credentials)
    }

    /// Opens a file. Several may stretch a passphrase at a time.
    @Sendable func access(_ path: FilePath) throws -> DatabaseAccess {
        if shared != nil { return try sharedAccess(path) }
        let file = options.file(for: path)
        var last: SlotDescription?
        let keyring = try file.open { slot in
            last = slot
            return try lock.withLock { _ in try credentials.credential(for: slot, of: file) }
        }
        if let last { CheapSlotWarning.tell(last, of: file) }
        return try DatabaseAccess(keyring, for: path)
    }

    /// Has the fields keyrings remember what a file proves by now; on one thread at a time.
    /// - Parameter database: The id that it had when it was opened first.
    func rememberSealed(_ path: FilePath, _ database: [UInt8]?) throws {
        guard !fieldsKeyrings.isEmpty else { return }
        let access = try access(path)
        var options = ConnectionOptions()
        options.fieldKeys = fields
        options.mayBeUnsealed = true
        options.mayBeUnknown = true
        let connection = try access.open(path, options)
        guard try database == nil || connection.databaseID() == database else {
            throw LockstepError(.tampered, "\(path) is another database than it was a moment ago")
        }
        for keyring in fieldsKeyrings { keyring.remember(connection) }
    }

    private func sharedAccess(_ path: FilePath) throws -> DatabaseAccess {
        switch shared {
        case .some(let keyring): try DatabaseAccess(keyring, for: path)
        case .none: throw LockstepError(.misuse, "there is no keyring for all files")
        }
    }
}
