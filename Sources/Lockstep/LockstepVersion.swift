/// The version of this library and its tool; the ledger records it with each migration.
public enum LockstepVersion {
    /// Semantic version.
    public static let current = "0.1.0"
}
