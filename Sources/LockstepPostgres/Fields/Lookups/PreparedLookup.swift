internal import Lockstep

/// A prepared statement with look-ups in sealed columns, whose values are given with each run.
///
/// The look at the registry goes in the same round trip: nothing is opened before its answer is known to be what the
/// connection has proven. If it is another one, that is read and proven, and the statement runs again.
final class PreparedLookup {
    private let sql: ServerSQL
    /// The prepared statements by the indexes that answer: which these are follows from the types of the values.
    private var names: [[ExactText]: String] = [:]
    /// Where the results of these statements have sealed columns.
    private var places: SealedResult.Places?
    /// The reading of the registry that both were made under.
    private var reading = 0

    /// What one run sends, and compares with what comes back.
    private struct Run {
        let name: String
        let parameters: [ServerParameter]
        let wanted: [(column: ServerColumn, value: Value)]
    }

    /// - Throws: `LockstepError.Code.misuse` for a statement in which rows that only share a token could not be left
    ///   out, and for a look-up in a column that is not sealed; `LockstepError.Code.keyUnavailable` without keys.
    init(_ sql: ServerSQL, _ session: ServerSession) throws(LockstepError) {
        self.sql = sql
        try sql.requireConjunction()
        let fields = try Self.fields(of: session)
        for lookup in sql.lookups {
            _ = try lookup.requireIndex(of: fields.column(lookup.title))
        }
    }

    private static func fields(
        of session: ServerSession
    ) throws(LockstepError) -> ServerFields {
        guard let fields = session.fields else { throw ServerSQL.keysMissing }
        return fields
    }

    func query(
        _ values: [any ServerEncodable], _ session: ServerSession,
        _ connection: borrowing ServerConnection
    ) throws -> SealedResult {
        let fields = try Self.fields(of: session)
        var run = try prepare(values, fields, session)
        var result: ServerResult?
        if let look = try fields.lookStatement(connection) {
            let (marks, answer) = try session.runTogether(look, run.name, run.parameters)
            if try fields.take(marks, connection) {
                result = try answer.get()
            } else {
                // In a transaction nothing runs after an error.
                if connection.isInTransaction { _ = try answer.get() }
                run = try prepare(values, fields, session)
            }
        }
        let rows = try result ?? session.run(prepared: run.name, run.parameters)
        return try open(rows, run, fields, connection)
    }

    private func open(
        _ result: ServerResult, _ run: Run, _ fields: ServerFields, _ connection: borrowing ServerConnection
    ) throws -> SealedResult {
        let known = places.flatMap { $0.fit(result) ? $0 : nil }
        let wanted = zip(sql.lookups, run.wanted)
        let opened = try SealedResult(result, fields, connection, sql.text, known) {
            places throws(LockstepError) in
            var checks: [ServerSQL.Lookup.Check] = []
            for (lookup, (column, value)) in wanted {
                checks.append(try lookup.check(column, value, places))
            }
            return checks
        }
        places = opened.places
        return opened
    }

    /// What to send for these values: tokens in place of those that are looked up.
    private func prepare(
        _ values: [any ServerEncodable], _ fields: ServerFields, _ session: ServerSession
    ) throws(LockstepError) -> Run {
        if reading != fields.reading { forget(fields.reading, session) }
        guard values.count >= sql.lookups.count else {
            throw LockstepError(
                .misuse,
                "the statement has \(counted(sql.lookups.count, "look-up")), and gets \(counted(values.count, "value"))",
                hint: "pass the values of the look-ups first, in their order")
        }
        var parameters: [ServerParameter] = []
        parameters.reserveCapacity(values.count)
        var conditions: [ServerSQL.Lookup.Condition] = []
        var wanted: [(column: ServerColumn, value: Value)] = []
        for (lookup, given) in zip(sql.lookups, values) {
            let value = try Self.value(of: given)
            let column = try fields.column(lookup.title)
            let condition = try lookup.condition(column, value)
            parameters.append(condition.token.serverParameter)
            conditions.append(condition)
            wanted.append((column, value))
        }
        for value in values.dropFirst(sql.lookups.count) {
            parameters.append(value.serverParameter)
        }
        let indexes = conditions.map { ExactText($0.index) }
        if let known = names[indexes] {
            return Run(name: known, parameters: parameters, wanted: wanted)
        }
        let text = sql.text(with: conditions)
        let name = try session.prepare(text)
        names[indexes] = name
        return Run(name: name, parameters: parameters, wanted: wanted)
    }

    /// Forgets what was prepared under another registry, whose indexes can have other names.
    private func forget(_ now: Int, _ session: ServerSession) {
        for name in names.values { session.forget(prepared: name) }
        (names, places, reading) = ([:], nil, now)
    }

    private static func value(of given: any ServerEncodable) throws(LockstepError) -> Value {
        switch given {
        case let value as Value: return value
        case let text as String: return .text(text)
        case let number as Int64: return .integer(number)
        case let number as Int: return .integer(Int64(number))
        case let number as Double: return .real(number)
        case let bytes as [UInt8]: return .blob(bytes)
        default:
            throw LockstepError(
                .misuse, "a look-up gets a value of a type that cells do not have",
                hint: "pass a Value, a text, a number or bytes")
        }
    }
}
