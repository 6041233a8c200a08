internal import SystemPackage

// Which key a file has
// ====================
//
// A file's key comes from a database key and the file's identity, which is inside the encrypted file. So the keyring says
// it, and where it does not, the keys are tried:
//
// 1. The keyring records with what each file begins. In the usual case that is all: nothing is derived or tried. Anyone
//    can give a file these 16 bytes, so it proves nothing; the opening does.
// 2. A file under a key that several can have begins with the salt of that key.
// 3. A backup has the key of its database and a salt of its own, and so has a database between two steps of a rotation or
//    a restore. Such a file is found by the MAC of its first page, or of a few others if that is damaged: first under the
//    identity that was last seen at its path, under each database key, then under every identity that the keyring
//    records. That is 15 microseconds and one derived key at a time; a keyring records at most 1024 identities.

/// Finds the key of a file among those of a keyring.
struct KeySearch {
    private let path: FilePath
    private let file: FileSample
    /// The identity that was last seen at the path, or is to be made there.
    private let here: DatabaseRecord?

    /// - Returns: Nil if no key fits.
    /// - Throws: Any error of reading the file.
    static func key(of path: FilePath, _ keyring: borrowing Keyring) throws -> FileKey? {
        let head = try DatabaseFile(path).read(at: 0, DatabaseKey.saltLength)
        guard head.count == DatabaseKey.saltLength else { return nil }
        // One that is only about to be made can have been made under a later key.
        let recorded = keyring.document.files.first { $0.salt == head && $0.seen > 0 }
        if let recorded, let entry = keyring.usableEntry(recorded.keyVersion) {
            return FileKey(entry: entry, file: recorded.database, salt: head)
        }
        let entries = try keyring.usableEntries()
        for entry in entries {
            let key = try keyring.databaseKey(version: entry.version)
            if key.salt == head { return FileKey(entry: entry) }
        }
        guard head != DatabaseFile.magic, let file = try FileSample(path) else { return nil }
        return try KeySearch(path: path, file: file, here: keyring.record(at: path)).run(keyring, entries, head)
    }

    private func run(
        _ keyring: borrowing Keyring, _ entries: [KeyringDocument.KeyEntry], _ head: [UInt8]
    ) throws -> FileKey? {
        let others = keyring.document.files.map(\.database).filter { $0 != here?.database }
        // The rest of a file whose first page verifies is not looked at.
        for first in [true, false] {
            for identities in [here.map { [$0.database] } ?? [], others] {
                for entry in ordered(entries) {
                    let version = try keyring.versionKey(entry.version)
                    for identity in identities {
                        guard try file.verifies(first: first, version.secret(of: identity)) else { continue }
                        return FileKey(entry: entry, file: identity, salt: head)
                    }
                }
            }
            for entry in entries {
                let key = try keyring.databaseKey(version: entry.version)
                if try file.verifies(first: first, key.secret) { return FileKey(entry: entry) }
            }
        }
        return nil
    }

    /// The key that the database is recorded under comes first.
    private func ordered(_ entries: [KeyringDocument.KeyEntry]) -> [KeyringDocument.KeyEntry] {
        entries.filter { $0.version == here?.keyVersion } + entries.filter { $0.version != here?.keyVersion }
    }
}

extension Keyring {
    /// The entries of the database keys that can still be had: the active one first, then the newest.
    fileprivate borrowing func usableEntries() throws -> [KeyringDocument.KeyEntry] {
        let active = try activeDatabaseKeyEntry()
        return [active]
            + document.keys.filter { $0.kind == .database && $0.state != .destroyed && $0 != active }.reversed()
    }

    /// The entry of a database key that can still be had.
    borrowing func usableEntry(_ version: UInt32) -> KeyringDocument.KeyEntry? {
        document.keys.first { $0.kind == .database && $0.version == version && $0.state != .destroyed }
    }

    /// The record of what was last seen at a path, or is to be made there.
    borrowing func record(at path: FilePath) throws -> DatabaseRecord? {
        guard let file else { return nil }
        let spelled = try file.spelling(of: path)
        return document.files.filter { $0.path == spelled }.max { $0.seen < $1.seen }
    }

    /// The keys that the files of a database can have: its own and the shared one, under each database key.
    borrowing func fileKeys(of path: FilePath) throws -> [SharedSecret<DatabaseKey>] {
        let identity = try keyEntry(of: path).file
        var keys: [SharedSecret<DatabaseKey>] = []
        for entry in try usableEntries() {
            let version = try versionKey(entry.version)
            keys.append(SharedSecret(try version.shared()))
            if let identity {
                keys.append(SharedSecret(try version.own(of: identity, salt: Random.bytes(DatabaseKey.saltLength))))
            }
        }
        return keys
    }
}
