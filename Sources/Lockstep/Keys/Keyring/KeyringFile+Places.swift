package import SystemPackage

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
