/// Which tables a run has filled from which: rows of a dropped table that stand in another one were moved, not lost.
///
/// A table is followed through its names: one that is dropped and made again is another. The moves outlive a version,
/// because one version can copy the rows and a later one drop the old table.
struct RowMoves {
    /// The rows that one statement put from one table into another.
    struct Move {
        let from, to: Int
        let sql: String
        /// The columns that it carried, each with the columns that got it as it is.
        let carried: [SQLName: Set<SQLName>]
        /// Whether it carried all columns.
        let isWhole: Bool
        let statement: BlameTracker.Statement
        /// The migration that the statement belongs to.
        let migration: Int
        var rows: Int64
    }

    private(set) var moves: [Move] = []
    /// Counts the migrations of the run.
    private(set) var migration = 0
    private var numbers: [SQLName: Int] = [:]
    private var temporary: Set<SQLName> = []
    /// The columns that statements have changed, by table.
    private var updated: [Int: Set<SQLName>] = [:]
    private var next = 0
    /// The names before the current migration.
    private var former: [SQLName: Int] = [:]
    private var dropped: Set<SQLName> = []

    /// Tables whose rows were put into others, also those that are gone since.
    var sources: Set<SQLName> {
        let numbers = Set(moves.map(\.from))
        return dropped.union(self.numbers.filter { numbers.contains($0.value) }.keys)
    }

    /// The number of the table that has this name now.
    mutating func number(_ name: SQLName) -> Int {
        if let number = numbers[name] { return number }
        next += 1
        numbers[name] = next
        if former[name] == nil { former[name] = next }
        return next
    }

    /// Another migration begins.
    mutating func begin() {
        migration += 1
        former = numbers
    }

    /// The number of the table that had this name before the migration.
    mutating func number(formerly name: SQLName) -> Int { former[name] ?? number(name) }

    /// The name that a table had before the migration; nil for one that it has made.
    func formerName(_ number: Int) -> SQLName? { former.first { $0.value == number }?.key }

    func known(_ name: SQLName) -> Int? { numbers[name] }

    /// The table's name now; nil if it is gone or temporary.
    func name(_ number: Int) -> SQLName? {
        numbers.first { $0.value == number && !temporary.contains($0.key) }?.key
    }

    /// A new table takes the name. Two tables of one name, one of them temporary, cannot be distinguished.
    mutating func make(_ name: SQLName, isTemporary: Bool = false) {
        forget(name)
        if isTemporary { temporary.insert(name) }
        let isKnown = former[name] != nil
        _ = number(name)
        if !isKnown { former[name] = nil }
    }

    mutating func drop(_ name: SQLName) {
        if let number = numbers[name], moves.contains(where: { $0.from == number }) {
            dropped.insert(name)
        }
        forget(name)
    }

    mutating func forget(_ name: SQLName) {
        numbers[name] = nil
        temporary.remove(name)
    }

    mutating func rename(_ old: SQLName, to new: SQLName) {
        let number = number(old)
        numbers[old] = nil
        numbers[new] = number
        if temporary.remove(old) != nil { temporary.insert(new) }
    }

    func isTemporary(_ name: SQLName) -> Bool { temporary.contains(name) }

    mutating func noteUpdate(of column: SQLName, in table: SQLName) {
        updated[number(table), default: []].insert(column)
    }

    func updatedColumns(of table: SQLName) -> Set<SQLName> {
        numbers[table].flatMap { updated[$0] } ?? []
    }

    mutating func add(_ move: Move) {
        // A program's loop repeats one statement.
        if let index = moves.lastIndex(where: {
            $0.from == move.from && $0.to == move.to && $0.sql.hasSameBytes(as: move.sql)
        }) {
            moves[index].rows += move.rows
        } else {
            moves.append(move)
        }
    }

    /// Adds rows that an earlier run, or an earlier part of this version, has moved, as far as they are not known.
    mutating func recall(_ move: Move) {
        let known = moves.filter { $0.from == move.from && $0.to == move.to }.map(\.rows)
        var move = move
        move.rows -= known.reduce(0, +)
        if move.rows > 0 { add(move) }
    }

    func moves(from number: Int) -> [Move] { moves.filter { $0.from == number } }

    /// How many rows that were put from a table into others still stand somewhere.
    /// - Parameters:
    ///   - wholeOnly: Whether only rows with all their columns count.
    ///   - rows: The number of rows that the table of this name has now.
    func standing(
        from number: Int, wholeOnly: Bool = false, _ rows: (SQLName) throws -> Int64?
    ) rethrows -> Int64 {
        var seen: Set<Int> = [number]
        return try standing(from: number, wholeOnly, &seen, rows)
    }

    private func standing(
        from number: Int, _ wholeOnly: Bool, _ seen: inout Set<Int>, _ rows: (SQLName) throws -> Int64?
    ) rethrows -> Int64 {
        var sums: [Int: Int64] = [:]
        for move in moves where move.from == number && (!wholeOnly || move.isWhole) {
            sums[move.to, default: 0] += move.rows
        }
        var sum: Int64 = 0
        for (target, moved) in sums where moved > 0 {
            var left: Int64
            if let name = name(target) {
                left = try rows(name) ?? 0
            } else {
                guard seen.insert(target).inserted else { continue }
                left = try standing(from: target, wholeOnly, &seen, rows)
            }
            left = min(left, moved)
            sum += left
        }
        return sum
    }
}
