/// Secrets and primitives.
extension LockstepError.Code {
    /// OpenSSL's secure heap has no room for another secret.
    public static let secureMemoryExhausted = Self("secure-memory-exhausted")
    /// An OpenSSL primitive failed although its input was valid.
    public static let cryptographyFailed = Self("cryptography-failed")
    /// A passphrase, key file, variable or command output is too short, too long or looks like something else.
    public static let secretUnsuitable = Self("secret-unsuitable")
}
