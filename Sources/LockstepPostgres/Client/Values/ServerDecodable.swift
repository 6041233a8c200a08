#if Postgres
    internal import Lockstep

    /// A type whose values can be read from a server's results.
    public protocol ServerDecodable {
        /// The value of the server's text; nil if it is of another type.
        init?(serverText: String)
        /// The value of NULL; nil if the type has none.
        static var fromNull: Self? { get }
    }

    extension ServerDecodable {
        /// Most types have none.
        public static var fromNull: Self? { nil }
    }
    extension String: ServerDecodable {
        /// The text.
        public init?(serverText: String) { self = serverText }
    }
    extension Int64: ServerDecodable {
        /// The number of these digits.
        public init?(serverText: String) { self.init(serverText) }
    }
    extension Int: ServerDecodable {
        /// The number of these digits.
        public init?(serverText: String) { self.init(serverText) }
    }
    extension Double: ServerDecodable {
        /// The number of these digits.
        public init?(serverText: String) { self.init(serverText) }
    }
    extension Bool: ServerDecodable {
        /// True for `t`.
        public init?(serverText: String) {
            guard serverText == "t" || serverText == "f" else { return nil }
            self = serverText == "t"
        }
    }
    extension [UInt8]: ServerDecodable {
        /// The bytes of a `bytea`.
        public init?(serverText: String) {
            guard serverText.hasPrefix("\\x"), let bytes = Hex.decode(serverText.dropFirst(2))
            else {
                return nil
            }
            self = bytes
        }
    }
    extension Optional: ServerDecodable where Wrapped: ServerDecodable {
        /// The value of the server's text.
        public init?(serverText: String) {
            guard let value = Wrapped(serverText: serverText) else { return nil }
            self = .some(value)
        }

        /// Nil.
        public static var fromNull: Wrapped?? { .some(nil) }
    }
#endif
