import Lockstep
import Synchronization
import SystemPackage

/// Opens the keyrings of a fleet's files on several threads. Credentials are read or prompted for once.
// Sendable by this proof: every property is constant. After `init`, `credentials` is used only while `lock` is held;
// the keyrings in `shared` and `fieldsKeyrings` are only read once the fleet runs.
final class FleetKeyrings: @unchecked Sendable {
    private let options: KeyringOptions
    private let credentials: CredentialSource
    private let lock = Mutex(())
    private let shared: Keyring?
    private let fieldsKeyrings: [FieldsKeyring]
    /// The field keys of the datasets, for every file.
    var fields: [FieldKeys] { fieldsKeyrings.map(\.keys) }

    /// Opens the keyring for all files, if one is named, and those of the datasets.
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
        fieldsKeyrings = try fields.open(keyrings, of: nil, self.credentials)
    }

    /// Runs the fleet, whose versions can seal columns. Nobody can destroy a key of the datasets meanwhile.
    func whileFieldsUsed(_ body: () throws -> Void) throws { try fieldsKeyrings.whileUsed(body) }

    /// Opens a file's keyring. Several threads can stretch a passphrase at the same time.
    @Sendable func access(_ path: FilePath) throws -> DatabaseAccess {
        if shared != nil { return try sharedAccess(path) }
        let file = options.file(for: path)
        var last: SlotDescription?
        let keyring = try credentials.withEachKeyFile { number in
            try file.open { slot in
                last = slot
                return try lock.withLock { _ in try credentials.credential(for: slot, of: file, keyFile: number) }
            }
        }
        if let last { PassphraseAdvice.show(last, of: file, asTyped: keyring.wasOpenedAsTyped) }
        return try DatabaseAccess(keyring, for: path)
    }

    /// Makes the fields keyrings remember the state that a file now proves. Call it on one thread at a time.
    /// - Parameter database: The file's id when it was first opened.
    func rememberSealed(_ path: FilePath, _ database: [UInt8]?) throws {
        guard !fieldsKeyrings.isEmpty else { return }
        let access = try access(path)
        var options = ConnectionOptions()
        options.fieldKeys = fields
        options.firstTime = true
        options.mayBeUnknown = true
        let connection = try access.open(path, options)
        guard try database == nil || connection.databaseID() == database else {
            throw LockstepError(.tampered, "another database has replaced \(path) meanwhile", context: .file(path))
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
