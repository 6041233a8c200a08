#if Postgres
    /// How a connection to a server is opened.
    public struct ServerOptions: Sendable {
        /// The schema whose tables names without a schema mean; nil for the role's own search path.
        public var schema: String?
        /// The longest time to wait for a host, in whole seconds.
        public var connectTimeout = Duration.seconds(10)
        /// Whether a server on the network that does not prove who it is is used all the same. Anyone on the way can then
        /// read and change everything.
        public var allowsUntrusted = false
        /// The name under which the server lists the connection.
        public var applicationName = "lockstep"

        /// The defaults.
        public init() {}
    }
#endif
