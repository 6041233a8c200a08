import Lockstep
import SystemPackage

/// The database beside a fields keyring that a command changes: it must not have seen a newer one, and remembers the change.
extension KeyringAccess {
    /// The database that was named, and the dataset whose keyring in it is changed; nil without them.
    private var fieldsDatabase: (path: FilePath, dataset: String)? {
        guard let dataset, let name = namedDatabase ?? Environment.text("LOCKSTEP_DATABASE") else { return nil }
        return (FilePath(name), dataset)
    }

    /// Opens the database with its own keyring and the fields keyring; nil where no database was named, where it is
    /// missing, and where the command's credentials do not open its keyring. Nobody is asked for another.
    private func connect(
        _ fields: borrowing Keyring, _ source: CredentialSource, queryOnly isQueryOnly: Bool
    ) throws -> Connection? {
        guard let (path, dataset) = fieldsDatabase else { return nil }
        let file = keyrings.file(for: path)
        guard file.exists, let database = opened(file, source) else { return nil }
        var options = ConnectionOptions()
        options.isQueryOnly = isQueryOnly
        options.fieldKeys = [try fields.fieldKeys(named: dataset)]
        options.mayBeUnsealed = true
        do {
            return try Connection.open(path, key: database.databaseKey(for: path), options: options)
        } catch let error as LockstepError where error.code == .notFound {
            return nil
        }
    }

    private func opened(_ file: KeyringFile, _ source: CredentialSource) -> Keyring? {
        do {
            return try source.withEachKeyFile { number in
                try file.open { slot in try source.credential(for: slot, of: nil, keyFile: number) }
            }
        } catch {
            // What keeps it closed is for the commands to say that need it.
            return nil
        }
    }

    /// Checks that the database has not seen a newer fields keyring than this one: with its epoch raised by the change,
    /// an older copy would look like the newest, and a slot that was removed would be back.
    /// - Throws: ``LockstepError/Code/keyringOutdated``. Other errors of opening the database are none of the keyring's.
    func requireFreshFields(_ keyring: inout Keyring, _ file: KeyringFile, _ source: CredentialSource) throws {
        do {
            _ = try ReadAgain().run(rereading: { try source.reread(file, &keyring) }) {
                try connect(keyring, source, queryOnly: true)
            }
        } catch let error as LockstepError where error.code == .keyringOutdated {
            throw error
        } catch {
            return
        }
    }

    /// Makes the database remember the changed keyring.
    func rememberFields(_ keyring: inout Keyring, _ file: KeyringFile, _ source: CredentialSource) {
        guard keyring.signer == nil, let (path, _) = fieldsDatabase else { return }
        Remembering.attempt(path, of: "the last change of \(file.path)", by: "lockstep migrate --fields") {
            do {
                guard let connection = try connect(keyring, source, queryOnly: false) else { return }
                try file.remember(&keyring, sealedIn: connection)
            } catch let error as LockstepError where error.code == .registryMissing {
                // A database of which the keyring knows nothing.
                return
            }
        }
    }
}
