package import SystemPackage

/// Where the databases of a keyring lie.
///
/// A database below the parent of the keyring's folder is recorded relative to that folder, so that both can be moved
/// together. Any other is recorded by its absolute path.
extension KeyringFile {
    /// Where a recorded database was last seen; nil if the keyring does not know.
    func place(of record: DatabaseRecord) throws -> FilePath? {
        Self.place(of: record, in: try RealPath.of(folder))
    }

    /// - Parameter folder: The keyring's folder, without symbolic links; nil if it is not known.
    static func place(of record: DatabaseRecord, in folder: FilePath?) -> FilePath? {
        guard let path = record.path, path.isRelative else { return record.path }
        return folder?.appending(path.components).lexicallyNormalized()
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
