/// SQL text together with the values that were interpolated into it.
///
/// A string literal is SQL as written. An interpolated value becomes a parameter and is bound, never spliced
/// into the text, so no value can turn into SQL:
///
///     try db.query("SELECT title FROM movies WHERE year = \(year)") { row in try row[0] as String }
///
/// A `String` is not SQL: text built at run time needs ``init(verbatim:)``, which makes dynamic SQL visible in
/// the source.
public struct SQL: Sendable {
    /// The text, with `?` where values were interpolated.
    public private(set) var text: String
    /// The text's values.
    private(set) var arguments = Arguments.none
    /// The text's names that depend on the connection.
    private(set) var names: [Name] = []

    /// A name that the connection finds, and the bytes of the text in which one stands meanwhile.
    struct Name: Sendable {
        var place: Range<Int>
        let object: any Sendable
    }

    /// The values of a statement's parameters.
    enum Arguments: Sendable {
        case none
        case positional([any Bindable & Sendable])
        case named([String: any Bindable & Sendable])  // exact: names that the program gives
    }

    /// SQL built at run time. Anyone who controls `text` can do everything that the connection can: never put a
    /// value into it.
    public init(verbatim text: String) { self.text = text }

    /// SQL built at run time, with the values of its parameters.
    init(verbatim text: String, values: [any Bindable & Sendable]) {
        self.text = text
        arguments = .positional(values)
    }

    /// The same values in another text, whose names are found.
    func with(text: String) -> SQL {
        var sql = SQL(verbatim: text)
        sql.arguments = arguments
        return sql
    }

    // exact: names that the program gives
    /// The same SQL with values for its named parameters; each name with or without its `:`, `@` or `$`. They
    /// replace interpolated values, which have no names.
    public func with(named values: [String: any Bindable & Sendable]) -> SQL {
        var sql = self
        sql.arguments = .named(values)
        return sql
    }
}

extension SQL: ExpressibleByStringInterpolation {
    /// A literal without interpolations.
    public init(stringLiteral text: String) { self.init(verbatim: text) }

    /// A literal with interpolations.
    public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.sql }

    /// Collects a literal's pieces.
    public struct StringInterpolation: StringInterpolationProtocol {
        private var text = ""
        private var values: [any Bindable & Sendable] = []
        private var names: [Name] = []

        /// Reserves capacity for a literal of this size.
        public init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 2 * interpolationCount)
            values.reserveCapacity(interpolationCount)
        }

        /// A piece of the text.
        public mutating func appendLiteral(_ literal: String) { text += literal }

        /// `\(value)`: a parameter that the value is bound to.
        public mutating func appendInterpolation(_ value: some Bindable & Sendable) {
            text += "?"
            values.append(value)
        }

        /// `\(value)`: a parameter that is NULL for nil.
        public mutating func appendInterpolation(_ value: (some Bindable & Sendable)?) {
            text += "?"
            values.append(value)
        }

        /// `\(list: values)`: a parameter for each value, in parentheses, for `IN`. An empty list is `()`,
        /// which matches no row.
        public mutating func appendInterpolation<Values: Sequence>(
            list values: Values
        ) where Values.Element: Bindable & Sendable {
            let list = values.map { $0 as any Bindable & Sendable }
            text += "(" + repeatElement("?", count: list.count).joined(separator: ", ") + ")"
            self.values += list
        }

        /// What is no ``Bindable``: a compile-time error that says what to write.
        @available(
            *, unavailable,
            message:
                "a value in SQL is Bindable: of an enumeration write its rawValue, of a list `\\(list: values)`, of another type the value that its column stores"
        )
        public mutating func appendInterpolation<Other>(_ value: Other) {}

        /// `\(name: identifier)`: the name of a table, column or other object, quoted.
        public mutating func appendInterpolation(name: String) { text += SQLTokens.quote(name) }

        /// `\(verbatim: text)`: text as written; see ``SQL/init(verbatim:)``.
        public mutating func appendInterpolation(verbatim text: String) { self.text += text }

        /// `\(fragment)`: other SQL with its values, which must not be named.
        public mutating func appendInterpolation(_ fragment: SQL) {
            names += fragment.names.map { name in
                let start = name.place.lowerBound + text.utf8.count
                return Name(place: start..<start + name.place.count, object: name.object)
            }
            text += fragment.text
            if case .positional(let values) = fragment.arguments { self.values += values }
        }

        /// A name that the connection finds, and one that stands in its place meanwhile.
        mutating func append(_ object: some Sendable, _ text: String) {
            let start = self.text.utf8.count
            names.append(Name(place: start..<start + text.utf8.count, object: object))
            self.text += text
        }

        fileprivate var sql: SQL {
            var sql = SQL(verbatim: text)
            sql.names = names
            if !values.isEmpty { sql.arguments = .positional(values) }
            return sql
        }
    }
}

extension SQL: CustomStringConvertible {
    /// The text with its literals replaced; never a value.
    public var description: String { SQLTokens.redact(text) }
}
