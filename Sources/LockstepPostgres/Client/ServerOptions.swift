public import Lockstep

/// How a connection to a server is opened.
public struct ServerOptions: Sendable {
    /// The schema whose tables names without a schema mean; nil for the role's own search path. Through a pooler such
    /// as pgbouncer it is set for each transaction, so that other clients of the pooler do not get it, and a statement
    /// outside of one is a transaction of three round trips more.
    public var schema: String?
    /// The longest time that a host may take until it lets the program in, also one that never stops talking; at least two
    /// seconds.
    public var connectTimeout = Duration.seconds(10)
    /// Whether a server on the network that does not prove who it is is used all the same. Anyone on the way can then
    /// read and change everything.
    public var allowsUntrusted = false
    /// The name under which the server lists the connection.
    public var applicationName = "lockstep"
    /// Asked ten times a second while it connects and while a statement runs. False cancels the statement, which then throws
    /// `LockstepError.Code.interrupted`; a commit is never cancelled.
    public var shouldContinue: (@Sendable () -> Bool)?

    /// How much a server's answers may take.
    public var limits = ServerLimits()

    /// The keys of the datasets whose sealed columns the connection reads and writes. The server must prove its
    /// registry of each of them, not older than what the keyring remembers; otherwise the connection does not open.
    public var fieldKeys: [FieldKeys] = []
    /// The columns that the program relies on being sealed, as `table.column`. A server that does not prove this for
    /// each of them is refused.
    public var sealed: [String] = []
    /// Whether nothing of a dataset in ``fieldKeys`` need be sealed yet, if the keyring does not remember the
    /// database: before the first column is sealed.
    public var mayBeUnsealed = false

    /// Whether the database may be one that the keyrings do not remember although they remember others: for a copy that
    /// was just made, so that they can remember it. At any other time it would accept a server that somebody put in the
    /// place of the right one.
    public var mayBeUnknown = false

    /// The defaults.
    public init() {}
}
