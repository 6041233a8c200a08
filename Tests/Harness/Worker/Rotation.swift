import FaultyWork
import Lockstep
import SystemPackage

/// Rotates the key of FOLDER/data.db in a separate process, with a fault at one of the system calls that change files.
///
///     Worker rotates rotate FOLDER FAULT CALL         as DatabaseKeyRotation does
///     Worker rotates promote-first FOLDER FAULT CALL  in the wrong order: tests must notice
///
/// FAULT and CALL are those of FaultyWork. The keyring is data.keyring, which my.key opens.
enum Rotation {
    /// Promotes the new key before the file is replaced: if killed between the two, no key in use opens it.
    private static func promoteFirst(_ database: FilePath, _ file: KeyringFile, _ keyring: inout Keyring) throws {
        let old = try keyring.activeDatabaseKey()
        let change = try KeyChange.begin(database, key: old)
        var version: UInt32 = 0
        try keyring.change(in: file) { version = try $0.nextDatabaseKey(isFresh: false) }
        let copy = try change.copy(from: old, to: keyring.databaseKey(version: version)) { _ in }
        try keyring.change(in: file) { try $0.promoteDatabaseKey(version, leaving: .retired) }
        try change.replace(with: copy)
    }

    private static func rotate(_ action: String, _ folder: FilePath) throws {
        let database = folder.appending("data.db")
        let file = KeyringFile(folder.appending("data.keyring"))
        var keyring = try file.open { _ in try KeyFile.read(folder.appending("my.key")) }
        if action == "promote-first" {
            try promoteFirst(database, file, &keyring)
        } else {
            _ = try DatabaseKeyRotation(of: database, keyring: file).run(&keyring)
        }
    }

    /// Works by the arguments after "rotates".
    static func run(_ arguments: [String]) -> Never {
        FaultyWork.run(arguments, rotate)
    }
}
