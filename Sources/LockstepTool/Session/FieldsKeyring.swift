import Lockstep
import SystemPackage
import LockstepPostgres

/// The fields keyring of one dataset that a command opens: its file and its keys.
final class FieldsKeyring {
    /// The keyring and its file.
    let opened: OpenedFields

    init(_ file: KeyringFile, named name: String, _ source: CredentialSource) throws {
        opened = try OpenedFields(file, named: name, source.open(file), reopen: { try source.open(file) })
    }

    private var file: KeyringFile { opened.file }
    private var name: String { opened.name }

    /// The keys that open the dataset's cells.
    var keys: FieldKeys { opened.keys }

    /// Reads the file again and runs a job, during which nobody can destroy a key.
    func whileUsed(_ body: () throws -> Void) throws {
        try file.whileUsed {
            _ = try opened.reread()
            try body()
        }
    }

    /// The path of the keyring file.
    var path: FilePath { file.path }

    /// Makes the keyring remember the state that the database now proves. The command's work is already done, so a
    /// failure here is only a notice.
    func remember(_ connection: borrowing Connection) {
        // A signed keyring belongs to its publisher and contains the state that the release proved.
        guard opened.keyring.signer == nil else { return }
        do {
            try file.remember(&opened.keyring, sealedIn: connection)
            try opened.renew()
        } catch {
            let reason = (error as? LockstepError)?.message ?? "\(error)"
            Output.note("notice: \(file.path) does not remember the sealed columns of \(connection.path): \(reason)")
            Output.note(
                "hint: until it does, an older state of the sealed columns can be restored unnoticed; run "
                    + "`lockstep migrate --fields` where the keyring can be written")
        }
    }

    /// The same for a server.
    /// - Parameter origin: The identity of the file that it was copied from.
    func remember(_ connection: borrowing ServerConnection, from origin: [UInt8]?) {
        guard opened.keyring.signer == nil else { return }
        do {
            try file.remember(&opened.keyring, sealedOn: connection, from: origin)
        } catch {
            let reason = (error as? LockstepError)?.message ?? "\(error)"
            Output.note("notice: \(file.path) does not remember the sealed columns of \(connection.address): \(reason)")
        }
    }

    /// Accepts the server's database as it is.
    /// - Returns: A line that says so.
    func accept(_ connection: borrowing ServerConnection) throws -> String {
        try file.accept(&opened.keyring, sealedOn: connection)
            ? "\(path) remembers \(connection.address) as it is now"
            : "\(path) remembers that nothing is sealed in \(connection.address)"
    }

    /// Accepts the database as it is.
    /// - Returns: A line that says so.
    func accept(_ connection: borrowing Connection) throws -> String {
        let isSealed = try ReadAgain().run(rereading: { try opened.reread() }) {
            try file.accept(&opened.keyring, sealedIn: connection)
        }
        return isSealed
            ? "\(path) remembers \(connection.path) as it is now"
            : "\(path) remembers that nothing is sealed in \(connection.path)"
    }

    /// Makes the registry of sealed columns again if it is lost.
    /// - Parameter connection: A connection without field keys.
    /// - Returns: Lines that say so.
    func rebuildIfLost(_ connection: borrowing Connection) throws -> [String] {
        guard try RegistryRebuild.isNeeded(keys, in: connection) else { return [] }
        let registry = try RegistryRebuild.run(keys, in: connection)
        return ["made the registry of the dataset \(name) again, as \(path) remembers it"]
            + registry.columns.map { column in
                column.cells > 0
                    ? "  \(column.title): \(counted(column.cells, "cell")) opened"
                    : "  \(column.title): not proven, it holds no values"
            }
    }

    /// Makes the keyring remember the state that was restored, if the file proves one. It is the command's last step,
    /// so a failure here is only a notice.
    /// - Parameter key: The key of the database, without its keyring's record.
    /// - Returns: A line that says so.
    func acceptRestored(_ path: FilePath, _ key: borrowing DatabaseKey) -> String? {
        do {
            var options = ConnectionOptions()
            options.fieldKeys = [keys.withoutMemory()]
            let connection = try Connection.open(path, key: key, options: options)
            return try accept(connection)
        } catch let error as LockstepError where error.code == .registryMissing {
            guard keys.memory.records.contains(where: \.isSealed) else { return nil }
            // Perhaps the backup is from before that; perhaps somebody removed the registry.
            Output.note(
                "notice: nothing of the dataset \(name) is sealed in \(path) as it was restored, but "
                    + "\(self.path) remembers sealed columns")
            Output.note(Self.acceptHint)
            return nil
        } catch {
            let reason = (error as? LockstepError)?.message ?? "\(error)"
            Output.note("notice: \(self.path) does not remember \(path) as it is now: \(reason)")
            Output.note(Self.acceptHint)
            return nil
        }
    }

    private static let acceptHint =
        "hint: if this is the backup that you meant, `lockstep keys accept-database` accepts it"
}

extension [FieldsKeyring] {
    /// Reads the files again and runs a job, during which nobody can destroy a key of them.
    func whileUsed(_ body: () throws -> Void) throws {
        guard let first else { return try body() }
        try first.whileUsed { try Array(dropFirst()).whileUsed(body) }
    }
}
