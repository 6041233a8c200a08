import Lockstep
import SystemPackage

/// Has a database remember its keyring, so that `lockstep verify` notices where an older copy of either is put
/// back. What was asked for is done by then: where this fails it is no failure, and told as a notice.
enum Remembering {
    /// Where there is no such database, nothing is to be said.
    static func tell(_ database: FilePath, of keyring: borrowing Keyring) {
        attempt(database) {
            do {
                let key = try keyring.databaseKey(for: database)
                try keyring.remember(in: Connection.open(database, key: key))
            } catch let error as LockstepError where error.code == .notFound {
                return
            }
        }
    }

    static func tell(_ connection: borrowing Connection, of keyring: borrowing Keyring) {
        attempt(connection.path) { try keyring.remember(in: connection) }
    }

    /// The same, and the keyring lists the database.
    static func bind(
        _ connection: borrowing Connection, _ keyring: inout Keyring, in file: KeyringFile
    ) {
        attempt(connection.path) { try keyring.bind(connection, in: file) }
    }

    /// The same for a database that was made or put back just now, whatever it remembers.
    static func bind(new database: FilePath, _ keyring: inout Keyring, in file: KeyringFile) {
        attempt(database) {
            let connection = try Connection.open(database, key: keyring.keyOfNew(database))
            try keyring.bind(connection, in: file, asListed: true)
        }
    }

    private static func attempt(_ database: FilePath, _ body: () throws -> Void) {
        do {
            try body()
        } catch let error as LockstepError where error.code == .keyringOutdated {
            Output.note("warning: \(error.message): an older copy of it may have been put back")
            if let hint = error.hint { Output.note("hint: \(hint)") }
        } catch {
            let reason = (error as? LockstepError)?.message ?? "\(error)"
            Output.note("notice: \(database) does not know of the keyring's last change: \(reason)")
            Output.note("hint: `lockstep migrate` on it makes it remember")
        }
    }
}
