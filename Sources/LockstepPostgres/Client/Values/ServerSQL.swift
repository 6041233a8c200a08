internal import Lockstep

/// SQL for a server, together with the values that were interpolated into it.
///
/// A literal is SQL as written. An interpolated value becomes a parameter such as `$1`, and is sent apart from the
/// text: no value can turn into SQL. Text built at run time needs ``init(verbatim:)``.
public struct ServerSQL: Sendable {
    /// The text, with parameters where values were interpolated, and nothing where a look-up in a sealed column stands.
    public private(set) var text: String
    private(set) var parameters: [ServerParameter] = []
    /// The conditions on sealed columns, in the order of their places.
    private(set) var lookups: [Lookup] = []

    /// SQL built at run time. Anyone who controls `text` can do everything that the role can: never put a value into
    /// it.
    public init(verbatim text: String) { self.text = text }

    init(_ text: String, _ parameters: [ServerParameter]) {
        (self.text, self.parameters) = (text, parameters)
    }
}

extension ServerSQL: ExpressibleByStringInterpolation {
    /// A literal without interpolations.
    public init(stringLiteral value: String) { self.init(verbatim: value) }

    /// A literal with interpolations.
    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

    /// Collects a literal's pieces.
    public struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var sql = ServerSQL(verbatim: "")

        /// Reserves capacity for a literal of this size.
        public init(literalCapacity: Int, interpolationCount: Int) {
            sql.text.reserveCapacity(literalCapacity + 3 * interpolationCount)
        }

        /// A piece of the text.
        public mutating func appendLiteral(_ literal: String) { sql.text += literal }

        /// `\(value)`: a parameter that the value is sent for.
        public mutating func appendInterpolation(_ value: some ServerEncodable) {
            sql.parameters.append(value.serverParameter)
            sql.text += "$\(sql.parameters.count)"
        }

        /// `\(value)`: a parameter that is NULL for nil.
        public mutating func appendInterpolation(_ value: (some ServerEncodable)?) {
            sql.parameters.append(value?.serverParameter ?? .null)
            sql.text += "$\(sql.parameters.count)"
        }

        mutating func appendLookup(_ title: String, _ value: Value?, _ normaliser: Normaliser?, _ alias: String?) {
            sql.parameters.append(.null)
            sql.lookups.append(
                Lookup(
                    offset: sql.text.utf8.count, parameter: sql.parameters.count, title: title,
                    alias: alias, value: value, normaliser: normaliser))
        }

        /// `\(name: identifier)`: the name of a table, column or other object, quoted.
        public mutating func appendInterpolation(name: String) {
            sql.text += SQLTokens.quote(name)
        }

        /// `\(verbatim: text)`: text as written; see ``ServerSQL/init(verbatim:)``.
        public mutating func appendInterpolation(verbatim text: String) { sql.text += text }
    }
}
