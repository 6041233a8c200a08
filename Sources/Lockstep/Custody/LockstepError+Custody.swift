/// Which file is which.
extension LockstepError.Code {
    /// The file is not one of the databases that its keyring records.
    public static let unknownDatabase = Self("unknown-database")
    /// The file is another database than the one that its keyring last saw at this path.
    public static let exchanged = Self("exchanged")
    /// The file and another one both claim to be the same database.
    public static let twoFiles = Self("two-files")
    /// The database is older than one of its keyrings remembers.
    public static let databaseOutdated = Self("database-outdated")
}
