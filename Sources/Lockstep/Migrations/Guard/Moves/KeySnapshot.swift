/// The keys of a table's rows at one moment, to find out which rows are gone later even if others took their places.
struct KeySnapshot {
    /// Above this number of rows only their number is compared: a key takes 8 bytes.
    static let limit: Int64 = 20_000_000

    /// The columns of the key; empty for the rowid.
    private let columns: [SQLName]
    /// In order.
    private let keys: [UInt64]

    /// Reads the keys of a table; nil if it has none that can be read.
    /// - Parameter last: The largest rowid to read, where rows after it are new.
    init?(_ table: SQLName, upTo last: Int64?, _ core: ConnectionCore) throws {
        guard let columns = try Self.keyColumns(of: table, core) else { return nil }
        self.columns = columns
        guard let keys = try Self.read(columns, of: table, upTo: last, core) else { return nil }
        self.keys = keys
    }

    /// How many of its rows are not in `table` any more; nil if the table no longer has these columns.
    func missing(from table: SQLName, _ core: ConnectionCore) throws -> Int? {
        guard let now = try Self.read(columns, of: table, upTo: nil, core) else { return nil }
        return Self.missing(keys, from: now)
    }

    /// A column of one table, and the one that has its values in another table.
    struct Pair {
        let column, target: SQLName
        /// Whether values can be others under the target's type.
        let isLoose: Bool
    }

    /// How many rows of a table stand in another one; nil if one of the two cannot be read.
    static func standing(
        _ table: SQLName, in other: SQLName, by pairs: [Pair], _ core: ConnectionCore
    ) throws -> Int64? {
        let loose = Set(pairs.indices.filter { pairs[$0].isLoose })
        guard try RowCounts.rows(other, core).map({ $0 <= limit }) == true,
            let rows = try read(pairs.map(\.column), of: table, upTo: nil, core, loose: loose),
            let others = try read(pairs.map(\.target), of: other, upTo: nil, core, loose: loose)
        else { return nil }
        return Int64(rows.count - missing(rows, from: others))
    }

    /// How many of the keys are not among others, where each counts as often as it occurs; both are in order.
    private static func missing(_ keys: [UInt64], from now: [UInt64]) -> Int {
        var count = 0
        var position = 0
        for key in keys {
            while position < now.count, now[position] < key { position += 1 }
            if position < now.count, now[position] == key { position += 1 } else { count += 1 }
        }
        return count
    }

    /// The largest rowid of a table; nil if it is empty or has no rowid.
    static func lastRowID(of table: SQLName, _ core: ConnectionCore) throws -> Int64? {
        do {
            return try core.ask("SELECT max(rowid) FROM main.\(name: table.spelling)") { row in
                try row[0] as Int64?
            }.first ?? nil
        } catch let error as LockstepError where error.code == .sqlFailed {
            return nil
        }
    }

    private static func keyColumns(
        of table: SQLName, _ core: ConnectionCore
    ) throws -> [SQLName]? {
        let columns = try core.ask(
            "SELECT name, pk, type FROM pragma_table_xinfo(?, 'main')", table.spelling
        ) { row in
            (name: try row[0] as SQLName, key: try row[1] as Int, type: try row[2] as String)
        }
        guard !columns.isEmpty else { return nil }
        let key = columns.filter { $0.key > 0 }.sorted { $0.key < $1.key }
        // An INTEGER PRIMARY KEY is the rowid, or as good as it.
        let isRowID = key.isEmpty || (key.count == 1 && key[0].type.asciiLowercased == "integer")
        return isRowID && !columns.contains { $0.name == "rowid" } ? [] : key.map(\.name)
    }

    /// A whole number is the same one in a column of any type for numbers, and a text that is a number becomes one
    /// there.
    private static func comparable(_ value: Value, _ isLoose: Bool) -> Value {
        var number: Double?
        switch value {
        case .real(let real): number = real
        case .text(let text) where isLoose: number = Double(text)
        default: return value
        }
        guard let number else { return value }
        return Int64(exactly: number).map { .integer($0) } ?? .real(number)
    }

    private static func read(
        _ columns: [SQLName], of table: SQLName, upTo last: Int64?, _ core: ConnectionCore, loose: Set<Int> = []
    ) throws -> [UInt64]? {
        let terms = columns.isEmpty ? "rowid" : columns.map { SQLTokens.quote($0.spelling) }.joined(separator: ", ")
        let condition = last == nil ? "" : " WHERE rowid <= ?1"
        let sql = SQL(verbatim: "SELECT \(terms) FROM main.\(SQLTokens.quote(table.spelling))\(condition)")
        func keys(_ row: borrowing Row) throws -> UInt64 {
            guard !columns.isEmpty else { return UInt64(bitPattern: try row[0] as Int64) }
            var hasher = Hasher()
            for index in columns.indices {
                hasher.combine(comparable(try row[index], loose.contains(index)))
            }
            return UInt64(bitPattern: Int64(hasher.finalize()))
        }
        do {
            let found = try last.map { try core.ask(sql, $0, row: keys) } ?? core.ask(sql, row: keys)
            return found.sorted()
        } catch let error as LockstepError where error.code == .sqlFailed {
            return nil
        }
    }
}
