package import SystemPackage

// A keyring lists a new database before it is made, so that a kill leaves no file that nothing opens. Until the
// database is there and has recorded the keyring, the keyring says that it has recorded nothing (`seen 0`). If there is
// no file then, the next creation at that path takes the record over.
extension KeyringFile {
    /// Whether the keyring records a database at this path that was never made: its creation was interrupted.
    /// - Throws: as ``summary()``, if there is a keyring.
    package func awaitsDatabase(at path: FilePath) throws -> Bool {
        guard exists, !FileAccess.exists(path) else { return false }
        let spelled = try spelling(of: path)
        return try summary().databases.contains { !$0.isMade && $0.path == spelled }
    }

    /// Records a database that is about to be made, unless an interrupted creation at this path did.
    /// - Returns: Its key.
    package func list(newDatabase path: FilePath, _ keyring: inout Keyring) throws -> DatabaseKey {
        let spelled = try spelling(of: path)
        let active = try keyring.activeDatabaseKeyEntry()
        let unmade = keyring.unmadeDatabase(at: spelled)
        if unmade == nil {
            try update(&keyring) { keyring in try keyring.listNewDatabase(at: spelled) }
        } else if let unmade, unmade.keyVersion != active.version || unmade.salt == nil {
            try update(&keyring) { keyring in
                let key = try keyring.newFileKey(of: unmade.database, keyring.activeDatabaseKeyEntry())
                try keyring.list(unmade.database, under: key)
            }
        }
        return try keyring.newDatabaseKey(at: spelled)
    }
}
