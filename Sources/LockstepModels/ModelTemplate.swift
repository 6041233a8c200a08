public import Lockstep
public import SystemPackage

/// A database that new ones begin as.
public struct ModelTemplate: ~Copyable, Sendable {
    /// Its file, an encrypted database, which is only read.
    public let path: FilePath
    /// Its key.
    public let key: DatabaseKey

    /// A template. Takes over the key.
    public init(_ path: FilePath, key: consuming DatabaseKey) {
        self.path = path
        self.key = key
    }
}
