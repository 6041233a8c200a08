/// Records.
extension LockstepError.Code {
    /// The table has no row with the record's key.
    public static let rowMissing = Self("row-missing")
    /// A record type does not fit its table, or a property has no column.
    public static let recordMisfit = Self("record-misfit")
}
