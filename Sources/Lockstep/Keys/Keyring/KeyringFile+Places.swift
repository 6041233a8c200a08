public import SystemPackage

/// Where keyrings lie: beside their database, in a folder of their own, so that both can be moved together and nobody
/// who can write to the database's folder can replace a keyring.
extension KeyringFile {
    /// The ending of the name of the folder beside a database.
    package static let folderSuffix = ".keys"

    /// The keyring beside a database: `films.db.keys/database.keyring`.
    ///
    /// If the database's path is a symbolic link, the folder lies beside the file to which it leads.
    public static func database(beside database: FilePath) -> KeyringFile {
        KeyringFile(folder(beside: database).appending("database.keyring"))
    }

    /// The fields keyring of a dataset beside a database: `films.db.keys/movies.fields.keyring`.
    /// - Throws: ``LockstepError/Code/keyringConflict`` for a name that a dataset cannot have.
    public static func fields(
        of dataset: String, beside database: FilePath
    ) throws(LockstepError) -> KeyringFile {
        try fields(of: dataset, in: folder(beside: database))
    }

    /// Whether a path names a keyring beside a database.
    static func isBeside(_ file: FilePath) -> Bool {
        file.extension == "keyring"
            && file.removingLastComponent().lastComponent?.string.ends(with: folderSuffix) == true
    }

    /// The folder for the keyrings of a database, beside it.
    static func folder(beside database: FilePath) -> FilePath {
        let file = FileAccess.isLink(database) ? (try? RealPath.of(database)) ?? database : database
        let name = file.lastComponent?.string ?? "database"
        return file.removingLastComponent().appending(name + folderSuffix)
    }
}

/// Where the databases of a keyring lie.
///
/// A database below the parent of the keyring's folder is recorded relative to that folder, so that both can be moved
/// together. Any other is recorded by its absolute path.
extension KeyringFile {
    /// Where a recorded database was last seen; nil if the keyring does not know.
    func place(of record: DatabaseRecord) throws -> FilePath? {
        var file = DatabaseKey.RecordedFile(identity: record.database)
        (file.recordedPath, file.folder) = (record.path, try RealPath.of(folder))
        return file.path
    }

    /// The path of a database as it is recorded.
    package func spelling(of database: FilePath) throws -> FilePath {
        let (real, folder) = (try RealPath.of(database), try RealPath.of(folder))
        var inner = real
        if inner.removePrefix(folder) { return inner }
        inner = real
        guard inner.removePrefix(folder.removingLastComponent()) else { return real }
        return FilePath("..").appending(inner.components)
    }
}
