/// Verification.
extension LockstepError.Code {
    /// A migrated database does not pass verification.
    public static let verificationFailed = Self("verification-failed")
}
