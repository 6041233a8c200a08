import Lockstep
import SystemPackage

/// Makes a database remember its keyring, so that `lockstep verify` detects an older copy of either. The command's work
/// is already done, so a failure here is only a notice.
enum Remembering {
    /// Does nothing if the database does not exist.
    static func show(
        _ database: FilePath, of keyring: inout Keyring, in file: KeyringFile
    ) {
        attempt(database) {
            do {
                let connection = try file.readingAgain(&keyring) { keyring in
                    try Connection.open(database, key: keyring.databaseKey(for: database))
                }
                Output.notice(of: connection.setAsideLog, database)
                try keyring.settle(connection, in: file)
            } catch let error as LockstepError where error.code == .notFound {
                return
            }
        }
    }

    static func show(
        _ connection: borrowing Connection, of keyring: inout Keyring, in file: KeyringFile
    ) {
        attempt(connection.path) { try keyring.settle(connection, in: file) }
    }

    /// The same for a database that was just made or restored, whatever it remembers, or for a copy. Also records the
    /// database in the keyring.
    static func bind(
        new database: FilePath, as role: FileRole = .original, _ keyring: inout Keyring, in file: KeyringFile
    ) {
        attempt(database) {
            let connection = try Connection.open(database, key: keyring.keyOfNew(database))
            try keyring.bind(connection, in: file, asListed: true, as: role)
        }
    }

    /// Makes every database that the keyring records, and that can be opened now, remember the keyring's change, and
    /// names the others.
    /// - Parameter named: A database that remembers it already.
    static func showAll(of keyring: inout Keyring, in file: KeyringFile, besides named: FilePath?) {
        guard keyring.recordsDatabases else {
            guard named == nil else { return }
            return Output.note(
                "notice: no database was named, so none remembers the change: run `lockstep migrate` on it to "
                    + "make it remember")
        }
        do {
            let others = try keyring.stamp(in: file, besides: named)
            guard !others.isEmpty else { return }
            Output.note(
                "notice: \(counted(others.count, "database")) of the keyring "
                    + "\(others.count == 1 ? "does" : "do") not remember its last change:")
            for other in others { Output.note("  \(other.path): \(other.error.message)") }
            Output.note("hint: `lockstep migrate` on a database, where it can be written, makes it remember")
        } catch {
            let reason = (error as? LockstepError)?.message ?? "\(error)"
            Output.note("notice: the databases of \(file.path) do not remember its last change: \(reason)")
        }
    }

    /// Runs `body`, which makes a database remember a change, and says why if it does not.
    static func attempt(
        _ database: FilePath, of change: String = "the keyring's last change", by command: String = "lockstep migrate",
        _ body: () throws -> Void
    ) {
        do {
            try body()
        } catch let error as LockstepError where error.code == .keyringOutdated {
            Output.note("warning: \(error.message): it is possibly an older copy")
            if let advice = error.advice { Output.note("hint: \(advice.typed)") }
        } catch {
            let reason = (error as? LockstepError)?.message ?? "\(error)"
            Output.note("notice: \(database) does not remember \(change): \(reason)")
            let advice = (error as? LockstepError)?.advice?.typed
            Output.note("hint: \(advice ?? "run `\(command)` on it to make it remember")")
        }
    }
}
