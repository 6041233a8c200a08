package import SystemPackage

/// Where a keyring's databases are now: proven by a look at the files, with every key that the keyring has.
extension Keyring {
    /// Checks that no other file stands for a database: that none of its identity lies where it was last seen, under
    /// whichever key. A record leaves its database only then.
    /// - Parameters:
    ///   - path: The file that is to stand for it.
    ///   - database: The database's id.
    ///   - file: The file that the keyring was opened from.
    /// - Throws: ``LockstepError/Code/twoFiles``.
    package borrowing func requireNoOther(than path: FilePath, _ database: [UInt8]?, in file: KeyringFile) throws {
        guard let database, let record = record(of: database), let place = try file.place(of: record),
            !IdentityCheck.isSame(place, path), try lies(record, at: place)
        else { return }
        throw IdentityCheck.two(path, place, database, file.path)
    }

    /// The database of which this keyring is, if that is not the one at `path`: one that the keyring records and that
    /// lies where it was seen, or the one beside which a fields keyring lies.
    package borrowing func otherDatabase(than path: FilePath, _ file: KeyringFile) throws -> FilePath? {
        for record in document.files {
            guard let place = try file.place(of: record), !IdentityCheck.isSame(place, path) else { continue }
            if try lies(record, at: place) { return place }
        }
        guard purpose == .fields, KeyringFile.isBeside(file.path), let name = file.folder.lastComponent?.string,
            let stem = name.rest(before: KeyringFile.folderSuffix)
        else { return nil }
        let neighbour = file.folder.removingLastComponent().appending(String(stem))
        return FileAccess.exists(neighbour) && !IdentityCheck.isSame(neighbour, path) ? neighbour : nil
    }

    /// Copies of a database that were set aside when it had another name: those under one of its keys, if no other
    /// database can have them.
    borrowing func setAside(besides database: FilePath) throws -> [FilePath] {
        guard document.files.count <= 1 else { return [] }
        return try SetAsideLog.strays(beside: database).filter { try keyEntry(ofFileAt: $0) != nil }
    }

    /// Whether a file of a recorded database lies at `place`.
    borrowing func lies(_ record: DatabaseRecord, at place: FilePath) throws -> Bool {
        guard let key = try keyEntry(ofFileAt: place) else { return false }
        return try IdentityCheck.isDatabase(record.database, place, databaseKey(key))
    }

    /// The key under which a file was made; nil if there is none, or no file that this process can read.
    borrowing func keyEntry(ofFileAt path: FilePath) throws -> FileKey? {
        // A pipe would block, and a folder or a link is no database.
        guard (try? FileAccess.sizeOfRegularFile(path)) != nil, (try? DatabaseFile(path)) != nil else { return nil }
        return try KeySearch.key(of: path, self)
    }
}
