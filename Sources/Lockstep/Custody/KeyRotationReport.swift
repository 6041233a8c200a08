/// What a rotation has come to.
public struct KeyRotationReport: Sendable, Hashable {
    /// The version of the key that was in use, and is retired or compromised now.
    public let oldVersion: UInt32
    /// The version of the key in use now.
    public let newVersion: UInt32
    /// The verified copy; nil where an earlier rotation had been interrupted after the copy had taken the
    /// database's name, and only the keyring had to follow.
    public let copy: CopyReport?
}
