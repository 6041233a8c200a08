/// Opening a database with its keyrings.
extension LockstepError.Code {
    /// A database is there, and its keyring, or that of one of its datasets, is not.
    public static let keyringMissing = Self("keyring-missing")
    /// A keyring is there, and the database that it records is not.
    public static let databaseMissing = Self("database-missing")
}
