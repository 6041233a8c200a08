/// Records.
extension LockstepError.Code {
    /// The table has no row with the record's key.
    public static let rowMissing = Self("row-missing")
}
