internal import CSQLCipher

/// Collations that only the program of a file has, for a job that copies or checks the file without it.
///
/// Each is replaced by the order that the file's own indexes have: a copy gets indexes in the same order, and the checks of
/// SQLite find every row in them. Whether that order is the collation's, only the program can say. What asks for an order
/// that no index shows, such as a CHECK that compares with a text of its own, fails with the collation's name: nothing is
/// guessed. A connection loses them when the job ends, because what it wrote later would be put in the wrong place.
final class OwnCollations {
    private final class Order {
        private struct Pair: Hashable {
            let first, second: UInt128
        }

        /// The most pairs that are kept in mind.
        private static let mostPairs = 1 << 20

        let name: String
        let key: KeyedHash.Key
        var indexes: [IndexOrder] = []
        private var orders: [Pair: Int] = [:]
        /// Whether an order was asked for that no index shows.
        var isUnknown = false

        init(_ name: String, _ key: KeyedHash.Key) { (self.name, self.key) = (name, key) }

        private func hash(_ bytes: UnsafeRawBufferPointer) -> UInt128 {
            var hash = KeyedHash(key)
            unsafe hash.absorb(text: bytes)
            return hash.finish()
        }

        func compare(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Int {
            let (first, second) = unsafe (hash(one), hash(other))
            guard first != second else { return 0 }
            let pair = Pair(first: min(first, second), second: max(first, second))
            let known = orders[pair] ?? order(pair)
            return first < second ? known : -known
        }

        /// The order of a pair, by all indexes: where two of them differ, or one with itself, a later column has ordered
        /// what is equal.
        private func order(_ pair: Pair) -> Int {
            let found = Set(indexes.compactMap { $0.compare(pair.first, pair.second) })
            guard !found.isEmpty else {
                // Not kept in mind: the next one that asks is to know, too.
                isUnknown = true
                return -1
            }
            let order = found.count == 1 ? found.first ?? 0 : 0
            if orders.count < Self.mostPairs { orders[pair] = order }
            return order
        }
    }

    /// What a connection gets while a job runs on it.
    private final class Loan {
        let own: OwnCollations
        /// What the connection has itself. SQLite asks for them too where texts have another encoding, and converts them.
        let known: Set<SQLName>

        init(_ own: OwnCollations, _ known: Set<SQLName>) { (self.own, self.known) = (own, known) }
    }

    private static let ofSQLite: Set<SQLName> = ["binary", "nocase", "rtrim"]

    private let key: KeyedHash.Key
    private var orders: [SQLName: Order] = [:]
    /// Whether every index that needs one of them has shown its order: a text of which none shows it is missing there.
    private(set) var isComplete = true

    init() throws(LockstepError) { key = try KeyedHash.Key() }

    /// The names of the collations that were missing.
    var names: [String] { orders.values.map(\.name).sorted { ExactText($0) < ExactText($1) } }

    /// Runs a part of the job that can ask for an order that no index shows; nil if it does.
    func attempt<Result>(_ part: () throws -> Result) throws -> Result? {
        let result = Swift.Result(catching: part)
        guard orders.values.contains(where: \.isUnknown) else { return try result.get() }
        forget()
        return nil
    }

    /// Goes on although an order was asked for that no index shows.
    func forget() {
        for order in orders.values { order.isUnknown = false }
    }

    // MARK: Lending

    /// Runs a job on a connection that has whatever collations are missing, in the order of its own indexes.
    /// - Parameter isRepeated: Whether a statement has failed for lack of one.
    static func lend<Result>(
        to connection: borrowing Connection, isRepeated: Bool = false, _ job: (OwnCollations) throws -> Result
    ) throws -> Result {
        let own = try OwnCollations()
        return try own.lend(to: connection, isRepeated: isRepeated) { connection in
            try own.learn(from: connection)
            return try job(own)
        }
    }

    /// Runs a job on a connection that gets what another one has; of an empty one, whatever is missing, without any order.
    /// - Throws: ``LockstepError/Code/sqlFailed`` if the job needed an order that no index shows.
    func lend<Result>(
        to connection: borrowing Connection, isRepeated: Bool = false, _ job: (borrowing Connection) throws -> Result
    ) throws -> Result {
        let loan = Loan(self, connection.core.collations.union(Self.ofSQLite))
        defer { withExtendedLifetime(loan) {} }
        unsafe sqlite3_collation_needed(connection.handle, Unmanaged.passUnretained(loan).toOpaque()) {
            context, handle, _, name in
            guard let context = unsafe context, let name = unsafe name else { return }
            let loan = unsafe Unmanaged<Loan>.fromOpaque(context).takeUnretainedValue()
            let collation = unsafe String(cString: name)
            if !loan.known.contains(SQLName(collation)) { unsafe loan.own.add(collation, to: handle) }
        }
        let result: Result
        do {
            if isRepeated { try reread(connection) }
            result = try job(connection)
        } catch {
            try? end(on: connection)
            // What failed can have failed by an order that is not known.
            if (error as? LockstepError)?.context.missing == nil { try require() }
            throw error
        }
        try end(on: connection)
        try require()
        return result
    }

    /// SQLite does not use an index whose collation was missing once, until it reads the schema again. It reads some that it
    /// would not let anyone write: triggers on tables that are named like those of a virtual table.
    private func reread(_ connection: borrowing Connection) throws {
        try connection.setDefensive(false)
        let result = Swift.Result {
            try connection.with(rights: .engine) {
                try connection.execute("PRAGMA writable_schema = RESET")
                _ = try connection.value("SELECT count(*) FROM main.sqlite_schema", as: Int.self)
            }
        }
        try connection.setDefensive(true)
        try result.get()
    }

    private func end(on connection: borrowing Connection) throws {
        unsafe sqlite3_collation_needed(connection.handle, nil, nil)
        for order in orders.values {
            let code = unsafe sqlite3_create_collation_v2(connection.handle, order.name, SQLITE_UTF8, nil, nil, nil)
            guard code == SQLITE_OK else { throw connection.core.error(code) }
        }
    }

    /// - Throws: ``LockstepError/Code/sqlFailed`` if an order was needed that no index shows.
    func require() throws(LockstepError) {
        guard let order = orders.values.first(where: \.isUnknown) else { return }
        throw LockstepError(
            .sqlFailed,
            "the collation \(order.name) is missing, and no index of the file shows the order that is needed",
            hint: "run this from a program that registers it in ConnectionOptions.collations",
            context: .init(missing: .init(.collation, order.name)))
    }

    private func add(_ name: String, to handle: OpaquePointer?) {
        let order = orders[SQLName(name)] ?? Order(name, key)
        orders[SQLName(name)] = order
        let retained = unsafe Unmanaged.passRetained(order)
        let code = unsafe sqlite3_create_collation_v2(
            handle, name, SQLITE_UTF8, retained.toOpaque(),
            { context, firstCount, first, secondCount, second in
                guard let context = unsafe context else { return 0 }
                let order = unsafe Unmanaged<Order>.fromOpaque(context).takeUnretainedValue()
                return unsafe Int32(
                    order.compare(
                        UnsafeRawBufferPointer(start: first, count: Int(firstCount)),
                        UnsafeRawBufferPointer(start: second, count: Int(secondCount))))
            },
            { context in unsafe context.map { unsafe Unmanaged<Order>.fromOpaque($0).release() } })
        // SQLite then says that the collation is missing, and does not release the context.
        if code != SQLITE_OK { unsafe retained.release() }
    }

    // MARK: Learning

    /// A column of an index.
    private struct Term {
        /// Nil for an expression.
        let column: String?
        let isDescending: Bool
        let collation: String

        var quoted: String { SQLTokens.quote(column ?? "") }

        /// What is one value for the index.
        var value: String {
            let folding: [SQLName: String] = ["nocase": "lower", "rtrim": "rtrim"]
            guard let function = folding[SQLName(collation)] else { return quoted }
            return "CASE typeof(\(quoted)) WHEN 'text' THEN \(function)(\(quoted)) ELSE \(quoted) END"
        }
    }

    /// Takes the orders of all indexes in which a collation is missing. One on an expression, or of some rows, shows none.
    private func learn(from connection: borrowing Connection) throws {
        let indexes = try connection.query(
            """
            SELECT t.name, l.name, t.wr AND l.origin = 'pk', l.partial FROM pragma_table_list AS t
            JOIN pragma_index_list(t.name, 'main') AS l WHERE t.schema = 'main'
            """, as: (String, String, Bool, Bool).self)
        for (table, index, isTable, isPartial) in indexes {
            // Its condition can need a collation, too.
            guard !isPartial else {
                isComplete = false
                continue
            }
            var terms = try connection.query(
                "SELECT name, \"desc\", coll FROM pragma_index_xinfo(?, 'main') WHERE \"key\" ORDER BY seqno", index
            ) { row in Term(column: try row[0], isDescending: try row[1], collation: try row[2]) }
            let missing = try terms.indices.filter { try isMissing(terms[$0].collation, connection) }
            guard let last = missing.last else { continue }
            terms = Array(terms[...last])
            guard !terms.contains(where: { $0.column == nil }) else {
                isComplete = false
                continue
            }
            try learn(terms, of: missing, table, isTable ? nil : index, from: connection)
        }
    }

    /// SQLite asks for a collation when a statement with it is compiled.
    private func isMissing(_ collation: String, _ connection: borrowing Connection) throws -> Bool {
        if orders[SQLName(collation)] == nil {
            _ = try connection.prepare("SELECT 'a' < 'b' COLLATE \(verbatim: SQLTokens.quote(collation))")
        }
        return orders[SQLName(collation)] != nil
    }

    /// Reads an index from its first entry to its last: SQLite compares nothing for that.
    private func learn(
        _ terms: [Term], of missing: [Int], _ table: String, _ index: String?, from connection: borrowing Connection
    ) throws {
        let order = terms.map {
            "\($0.quoted) COLLATE \(SQLTokens.quote($0.collation))\($0.isDescending ? " DESC" : "")"
        }
        let entries = try connection.prepare(
            """
            SELECT \(verbatim: terms.map(\.value).joined(separator: ", ")) FROM main.\(name: table)
            \(verbatim: index.map { "INDEXED BY \(SQLTokens.quote($0))" } ?? "")
            ORDER BY \(verbatim: order.joined(separator: ", "))
            """)
        var found = missing.map { IndexOrder(isDescending: terms[$0].isDescending) }
        var groups = [UInt32](repeating: 0, count: missing.count)
        var before: [UInt128] = []
        var (place, hasRoom) = (UInt32(0), true)
        try entries.forEach { row in
            let values = terms.indices.map { column in
                var hash = KeyedHash(key)
                row.hash(Int32(column), into: &hash)
                return hash.finish()
            }
            place += 1
            for (number, column) in missing.enumerated() {
                if before.prefix(column) != values.prefix(column) { groups[number] += 1 }
                // Only texts are compared by a collation.
                guard hasRoom, unsafe sqlite3_value_type(row.value(Int32(column))) == SQLITE_TEXT else { continue }
                hasRoom = found[number].add(values[column], group: groups[number], at: place)
            }
            before = values
        }
        guard hasRoom else {
            isComplete = false
            return
        }
        for (number, column) in missing.enumerated() {
            found[number].finish()
            orders[SQLName(terms[column].collation)]?.indexes.append(found[number])
        }
    }
}
