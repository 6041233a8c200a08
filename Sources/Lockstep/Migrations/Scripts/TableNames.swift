/// Which table has which name, across the versions of a run, and which tables were filled from which.
///
/// A table is followed through its names: one that is dropped and made again is another. What was filled outlives a
/// version, because one version can copy the rows and a later one drop the old table.
struct TableNames {
    private var numbers: [SQLName: Int] = [:]
    private var next = 0
    /// The names before the current version.
    private var former: [Int: SQLName] = [:]
    /// Names whose tables are gone since.
    private var away: Set<SQLName> = []
    /// Columns that the version has renamed, by their names before it.
    private(set) var columns: [Int: [SQLName: SQLName]] = [:]
    private var filled: Set<Int> = []
    /// From which table a statement has filled another; nil for one that names a view.
    private var fills: [(from: Int?, to: Int)] = []
    private var sourceNames: Set<SQLName> = []

    /// Tables whose rows were put into others, also those that are gone since.
    var sources: Set<SQLName> { sourceNames }

    /// Another version begins.
    mutating func begin() {
        former = Dictionary(uniqueKeysWithValues: numbers.map { ($0.value, $0.key) })
        away = []
        columns = [:]
    }

    /// The number of the table that has this name now.
    mutating func number(_ name: SQLName) -> Int {
        if let number = numbers[name] { return number }
        next += 1
        numbers[name] = next
        if !away.contains(name) { former[next] = name }
        return next
    }

    /// The name that a table had before the version; nil for one that it has made.
    func formerName(_ number: Int) -> SQLName? { former[number] }

    /// The table's name now; nil if it is gone.
    func name(_ number: Int) -> SQLName? { numbers.first { $0.value == number }?.key }

    /// The number of the table that has this name now, if a statement has named it.
    func known(_ name: SQLName) -> Int? { numbers[name] }

    // MARK: Following

    /// A new table takes the name.
    /// - Parameter isKnown: Whether there was a table of this name before the version: IF NOT EXISTS then makes none.
    mutating func make(_ name: SQLName, isKnown: Bool) {
        guard numbers[name] == nil, !isKnown || away.contains(name) else { return }
        away.insert(name)
        _ = number(name)
    }

    mutating func drop(_ name: SQLName) {
        // Its number must not go to another.
        _ = number(name)
        numbers[name] = nil
        away.insert(name)
    }

    mutating func rename(_ old: SQLName, to new: SQLName) {
        let number = number(old)
        numbers[old] = nil
        away.insert(old)
        numbers[new] = number
    }

    mutating func rename(column old: SQLName, to new: SQLName, of table: SQLName) {
        let number = number(table)
        let first = columns[number]?.first { $0.value == old }?.key ?? old  // exact: names of SQLite
        columns[number, default: [:]][first] = new
    }

    /// Rows were put into a table.
    /// - Parameters:
    ///   - words: The names in the statement.
    ///   - views: The names of views.
    mutating func fill(_ table: SQLName, _ words: Set<SQLName>, isTable: (SQLName) -> Bool, views: Set<SQLName>) {
        let number = number(table)
        filled.insert(number)
        if !words.isDisjoint(with: views) { fills.append((nil, number)) }
        for word in words where word != table && (numbers[word] != nil || isTable(word)) {
            sourceNames.insert(word)
            let link = (from: Optional(self.number(word)), to: number)
            // A program's loop repeats one statement.
            if !fills.contains(where: { $0.from == link.from && $0.to == link.to }) { fills.append(link) }
        }
    }

    /// The tables that were filled, by their names now, and whether the rows of a table can have come there.
    func filled(from number: Int) -> [SQLName: Bool] {
        let reached = reached(from: number)
        var names: [SQLName: Bool] = [:]
        for (name, one) in numbers where filled.contains(one) {
            names[name] = one != number && reached.contains(one)
        }
        return names
    }

    /// Whether rows of a table can have come back to it through another.
    func isRefilled(_ number: Int) -> Bool {
        let others = reached(from: number).subtracting([number])
        return fills.contains { from, to in to == number && from.map(others.contains) ?? true }
    }

    private func reached(from number: Int) -> Set<Int> {
        var reached: Set<Int> = [number]
        var hasGrown = true
        while hasGrown {
            hasGrown = false
            for (from, to) in fills where from.map(reached.contains) ?? true {
                if reached.insert(to).inserted { hasGrown = true }
            }
        }
        return reached
    }

    /// Follows a statement of a file.
    mutating func follow(_ sql: String) {
        if let said = SaidStatement(sql) {
            if case .create = said.kind {
                drop(said.target)
                make(said.target, isKnown: false)
            }
            switch said.kind {
            case .insert, .create: fill(said.target, said.words, isTable: { _ in false }, views: [])
            case .update, .delete: break
            }
            return
        }
        // A name can have three tokens.
        var cursor = SQLCursor(Array(sql.utf8), limit: 10)
        if cursor.take("create", "table") {
            _ = cursor.take("if", "not", "exists")
            if let name = try? cursor.objectName() { make(name, isKnown: false) }
        } else if cursor.take("drop", "table") {
            _ = cursor.take("if", "exists")
            if let name = try? cursor.objectName() { drop(name) }
        } else if case .renameTable(let old, let new) = AlterStatement(sql) {
            rename(old, to: new)
        }
    }

    /// Adds what the versions of a set before this one have filled, by their files.
    mutating func recall(_ names: TableNames) {
        for (from, to) in names.fills {
            guard let name = names.name(to), let own = number(formerly: name) else { continue }
            filled.insert(own)
            guard let from, let source = names.name(from), let other = number(formerly: source) else { continue }
            fills.append((other, own))
        }
    }

    /// The number of the table that had this name before the version.
    private mutating func number(formerly name: SQLName) -> Int? {
        if let number = former.first(where: { $0.value == name })?.key { return number }  // exact: names of SQLite
        return away.contains(name) ? nil : number(name)
    }
}
