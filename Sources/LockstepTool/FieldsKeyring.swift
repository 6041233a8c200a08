import Lockstep
import SystemPackage

/// The fields keyring of one dataset that a command was given: its file, and its keys.
final class FieldsKeyring {
    private let file: KeyringFile
    private var keyring: Keyring
    /// What opens the dataset's cells.
    let keys: FieldKeys

    init(_ file: KeyringFile, named name: String, _ keyring: consuming Keyring) throws {
        self.file = file
        keys = try keyring.fieldKeys(named: name)
        self.keyring = keyring
    }

    /// Where its file lies.
    var path: FilePath { file.path }

    /// Whether the keyring remembers any database.
    var isUsed: Bool { !keys.memory.records.isEmpty }

    /// Has the keyring remember what the database proves now. What was asked for is done by then: where this fails it is
    /// no failure, and reported as a notice.
    func remember(_ connection: borrowing Connection) {
        // A signed keyring is its publisher's, and carries what the release proved.
        guard keyring.signer == nil else { return }
        do {
            try file.remember(&keyring, sealedIn: connection)
        } catch {
            let reason = (error as? LockstepError)?.message ?? "\(error)"
            Output.note(
                "notice: \(file.path) does not remember what is sealed in \(connection.path): \(reason)"
            )
            Output.note(
                "hint: until it does, an older state of the sealed columns that somebody puts back is not "
                    + "noticed; run `lockstep migrate --fields` where the keyring can be written")
        }
    }

    /// Takes the database as it is.
    func accept(_ connection: borrowing Connection) throws {
        try file.accept(&keyring, sealedIn: connection)
    }
}
