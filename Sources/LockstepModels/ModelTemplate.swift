public import Lockstep
public import SystemPackage

/// A database that new ones are copied from.
public struct ModelTemplate: ~Copyable, Sendable {
    /// Its file, an encrypted database that is only read.
    public let path: FilePath
    /// Its key.
    public let key: DatabaseKey

    /// Makes a template. Consumes the key.
    public init(_ path: FilePath, key: consuming DatabaseKey) {
        self.path = path
        self.key = key
    }
}
