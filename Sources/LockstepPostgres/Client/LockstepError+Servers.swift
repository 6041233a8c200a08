public import Lockstep

/// Servers.
extension LockstepError.Code {
    /// No server answers, or the connection was lost.
    public static let serverUnreachable = Self("server-unreachable")
    /// The server does not prove that it is the intended one.
    public static let serverUntrusted = Self("server-untrusted")
    /// The server is too old, or its database has an unfit encoding.
    public static let serverUnsupported = Self("server-unsupported")
    /// The server does not let this role in, or does not accept its password.
    public static let loginRefused = Self("login-refused")
    /// The server is a standby, or takes no writes.
    public static let readOnlyServer = Self("read-only-server")
    /// Whether a transaction was committed is unknown, because the connection was lost meanwhile.
    public static let commitUnknown = Self("commit-unknown")
    /// The server committed, but no standby has confirmed it.
    public static let notReplicated = Self("not-replicated")
    /// A value does not fit the type of its column.
    public static let typeMismatch = Self("type-mismatch")
    /// A column would hold plaintext on a server, and nobody has said that it may.
    public static let exposed = Self("exposed")
    /// A check cannot be made without changing what it checks, or for lack of rights.
    public static let notCompared = Self("not-compared")
    /// What a copy has brought differs from its source.
    public static let copyDiffers = Self("copy-differs")
}
