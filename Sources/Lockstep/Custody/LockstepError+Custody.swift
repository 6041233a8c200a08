/// Which file is which.
extension LockstepError.Code {
    /// The file is not one of the databases that its keyring records.
    public static let unknownDatabase = Self("unknown-database")
}
