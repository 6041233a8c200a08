import Lockstep
import SystemPackage

/// The fields keyring of one dataset that a command opens: its file and its keys.
final class FieldsKeyring {
    private let file: KeyringFile
    private let name: String
    private var keyring: Keyring
    /// The keys that open the dataset's cells.
    private(set) var keys: FieldKeys

    init(_ file: KeyringFile, named name: String, _ keyring: consuming Keyring) throws {
        self.file = file
        self.name = name
        keys = try keyring.fieldKeys(named: name)
        self.keyring = keyring
    }

    /// The path of the keyring file.
    var path: FilePath { file.path }

    /// Whether the keyring remembers any database.
    var isUsed: Bool { !keys.memory.records.isEmpty }

    /// Reads the file again.
    /// - Returns: Whether it has another version.
    func reread() throws -> Bool {
        guard try file.reread(&keyring) else { return false }
        keys = try keyring.fieldKeys(named: name)
        return true
    }

    /// Makes the keyring remember the state that the database now proves. The command's work is already done, so a
    /// failure here is only a notice.
    func remember(_ connection: borrowing Connection) {
        // A signed keyring belongs to its publisher and contains the state that the release proved.
        guard keyring.signer == nil else { return }
        do {
            try file.remember(&keyring, sealedIn: connection)
        } catch {
            let reason = (error as? LockstepError)?.message ?? "\(error)"
            Output.note(
                "notice: \(file.path) does not remember the sealed columns of \(connection.path): \(reason)"
            )
            Output.note(
                "hint: until it does, an older state of the sealed columns can be restored unnoticed; run "
                    + "`lockstep migrate --fields` where the keyring can be written")
        }
    }

    /// Accepts the database as it is.
    func accept(_ connection: borrowing Connection) throws {
        try file.accept(&keyring, sealedIn: connection)
    }
}
