/// The checks that only a database on a server has. LockstepPostgres carries them out.
extension VerificationReport.Check {
    /// The server is one that is supported, and none of its settings leaks or loses data.
    public static let server = Self("server", mayFail: false) { _ in nil }
    /// Every constraint is validated, and every index is valid.
    public static let constraints = Self("constraints") { _ in nil }
    /// Every value of a sealed column has the form of a cell.
    public static let shape = Self("shape", failure: .tampered) { _ in nil }
    /// No column holds plaintext that nobody has named.
    public static let exposure = Self("exposure", failure: .verificationFailed) { _ in nil }
    /// Nothing is left of a version, a copy or a transaction that has not ended.
    public static let orphans = Self("orphans") { _ in nil }
}
