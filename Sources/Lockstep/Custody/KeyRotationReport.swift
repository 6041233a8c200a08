/// The result of a rotation.
public struct KeyRotationReport: Sendable, Hashable {
    /// The version of the previous key, which is now retired or compromised.
    public let oldVersion: UInt32
    /// The version of the key now in use.
    public let newVersion: UInt32
    /// The verified copy; nil if an earlier rotation was interrupted after the copy took the database's name, so that
    /// only the keyring was updated.
    public let copy: CopyReport?
    /// When the rotation began, and how long it took.
    public internal(set) var time = JobTime()
}
