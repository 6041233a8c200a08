/// Sealed columns and releases.
extension LockstepError.Code {
    /// A value in a sealed column is not a cell, or not one that this version can read.
    public static let cellMalformed = Self("cell-malformed")
    /// A cell does not authenticate: it was changed, or belongs elsewhere.
    public static let cellForged = Self("cell-forged")
    /// The database's registry of sealed columns was not written by a holder of the fields keyring.
    public static let registryForged = Self("registry-forged")
    /// The database does not prove a dataset, or that a column is sealed, although other sources expect it.
    public static let registryMissing = Self("registry-missing")
    /// The database's registry of sealed columns is older than one seen before.
    public static let registryOlder = Self("registry-older")
    /// The database's schema contains something that makes reading and writing sealed columns unsafe.
    public static let foreignSchema = Self("foreign-schema")
    /// A manifest's text violates its format.
    public static let manifestMalformed = Self("manifest-malformed")
    /// A release's number does not follow the previous one.
    public static let releaseConflict = Self("release-conflict")
}
