/// Safe migrations.
extension LockstepError.Code {
    /// A database could not be restored, or must not be because others have written to it.
    public static let notRestored = Self("not-restored")
}
