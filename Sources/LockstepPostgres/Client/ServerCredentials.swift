public import Lockstep
public import SystemPackage

/// How a program proves to a server who it is.
public enum ServerCredentials: Sendable {
    /// By its user on a Unix socket, or by the client's certificate of the address.
    case none
    /// By the password in a file of the form of `.pgpass`, of mode 0600.
    case passFile(FilePath)
    /// By a password, asked for at each opening. libpq keeps a copy in ordinary memory while it connects.
    case password(@Sendable () throws -> SecretBytes)
}
