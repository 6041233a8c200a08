/// Stand-ins for functions and collations that only the program of a database has, for databases in memory of which the
/// schema alone counts: a GeoPackage's triggers call functions that its own programs bring along.
enum StandIns {
    /// More than any program has; a message that is not understood must not go on for ever.
    private static let most = 200

    /// Makes a database in memory, again with a stand-in for each function or collation that is missing.
    /// - Parameter body: Makes it with these options.
    /// - Throws: Its errors, but for those about what can have a stand-in.
    static func adding(
        to options: ConnectionOptions, _ body: (ConnectionOptions) throws -> Connection
    ) throws -> Connection {
        var options = options
        var known: Set<SQLName> = []
        while true {
            do {
                return try body(options)
            } catch let error as LockstepError {
                guard let missing = error.context.missing, known.count < most,
                    known.insert(SQLName(missing.name)).inserted
                else { throw error }
                switch missing.kind {
                case .function:
                    options.functions.append(
                        SQLFunction(missing.name, argumentCount: nil, isDeterministic: true) { _ in .null })
                case .collation: options.collations.append(Collation(missing.name, compare: Self.byBytes))
                default: throw error
                }
            }
        }
    }

    private static func byBytes(_ one: String, _ other: String) -> Int {
        let (one, other) = (ExactText(one), ExactText(other))
        return one == other ? 0 : one < other ? -1 : 1
    }
}
