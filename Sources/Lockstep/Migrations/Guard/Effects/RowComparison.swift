/// Compares the rows that a table had before a version with those of its successor.
///
/// Sums come first: where they agree, every row stands. Otherwise rows are paired by the rowid or the primary key, or,
/// where nothing else distinguishes them, by their content.
struct RowComparison {
    /// What makes a table the successor of another.
    enum Tie {
        /// It is the same table, perhaps with another name.
        case same
        /// It has taken the name.
        case replaced
        /// The rows were put into it.
        case moved
    }

    /// A column, and the one that has its values now.
    struct Pair {
        let old, new: SQLName
        /// The new type, if it can make other values of the old ones.
        let affinity: Affinity?
        /// Whether the script says that its values change, and whether it says that they become NULL.
        let change: (isSaid: Bool, saysNull: Bool)

        func term(_ column: SQLName) -> ColumnTerm { affinity == nil ? .stored(column) : .converted(column) }
        var oldTerm: ColumnTerm { term(old) }
        var newTerm: ColumnTerm { term(new) }
    }

    /// A column that is not compared: for the control of a test.
    @TaskLocal static var leftOut: SQLName?

    let old, new: TableImage
    let tie: Tie
    let before, after: RowSource
    let said: SaidChanges
    /// Other tables in which rows can stand.
    let filled: [FilledTable]
    /// Whether the keys of the first rows are kept, to be shown.
    var namesKeys = false
    private(set) var pairs: [Pair] = []
    /// Stored columns that the successor does not have.
    private(set) var lost: [SQLName] = []
    /// Whether the engine's copy leaves anything to compare.
    private var hasUnproven = false

    /// - Parameters:
    ///   - names: The present names of columns that were renamed.
    ///   - copied: Columns that the engine has copied, with all rows.
    ///   - condition: Which rows of both are compared; nil for all.
    init(
        _ old: TableImage, formerly former: SQLName, _ new: TableImage, _ tie: Tie, names: [SQLName: SQLName],
        _ said: SaidChanges, copied: Set<SQLName>, filled: [FilledTable], before: ConnectionCore, after: ConnectionCore,
        where condition: String? = nil
    ) throws {
        (self.old, self.new, self.tie, self.said, self.filled) = (old, new, tie, said, filled)
        let key = try KeyedHash.Key()
        self.before = RowSource(core: before, table: former, hashKey: key, condition: condition)
        self.after = RowSource(core: after, table: new.name, hashKey: key, condition: condition)
        let taken = Set(names.values)
        for column in old.stored where column.name != Self.leftOut {  // exact: names of SQLite
            let name = tie == .same ? names[column.name] ?? column.name : column.name
            // A new column can have the former name of another.
            let isOther = names[column.name] == nil && taken.contains(column.name) && tie == .same
            guard let target = new.column(name), !isOther else {
                lost.append(column.name)
                continue
            }
            let isProven = copied.contains(column.name) && target.isStored && column.affinity == target.affinity
            if !isProven || old.key.contains(column.name) { add(column, target) }
            hasUnproven = hasUnproven || !isProven
        }
        hasUnproven = hasUnproven || lost.contains { !said.leaves($0) }
    }

    private mutating func add(_ column: TableImage.Column, _ target: TableImage.Column) {
        let isConverted = tie != .same && column.affinity != target.affinity && target.affinity != .blob
        pairs.append(
            Pair(
                old: column.name, new: target.name, affinity: isConverted ? target.affinity : nil,
                change: said.change(of: column.name, target.name)))
    }

    /// The differences that nothing explains.
    mutating func effects() throws -> [TableEffect] {
        guard hasUnproven else { return [] }
        guard !old.isCountedOnly, !new.isCountedOnly else { return try countedOnly() }
        let key = try key()
        var (one, two) = try sums(key, compared)
        if try recover(one, two, key) { (one, two) = try sums(key, compared) }
        guard tie != .moved || !pairs.isEmpty else {
            return [TableEffect(kind: .rowsGone, count: Int(clamping: one.rows), rows: (one.rows, nil))]
        }
        let effects = try lostColumns(one)
        guard let key else { return try effects + byContent(one, two) }
        let isSame = one.rows == two.rows && one.keys == two.keys
        let hasChanged = pairs.indices.contains { index in
            let (old, new, change) = (one.columns[index], two.columns[index], pairs[index].change)
            guard old.values != new.values else { return false }
            return !change.isSaid || (old.nulls != new.nulls && !change.saysNull)
        }
        guard !isSame || hasChanged || replacedRows > 0 else { return effects }
        return try effects + byKey(key, (one.rows, two.rows))
    }

    /// How many rows statements have deleted, if others can have their keys now. Where rows were put back, they can be the
    /// same rows.
    var replacedRows: Int {
        tie == .same && said.exchangesRows && !said.putsBack ? said.deleted : 0
    }

    private func countedOnly() throws -> [TableEffect] {
        let (one, two) = (try TableSums(before, key: [], []).rows, try TableSums(after, key: [], []).rows)
        guard two < one else { return [] }
        return [TableEffect(kind: .rowsGone, count: Int(one - two), rows: (one, two))]
    }

    /// The columns whose values no statement says to change.
    private var compared: Set<Int> { Set(pairs.indices.filter { !pairs[$0].change.isSaid }) }

    private func sums(_ key: Key?, _ compared: Set<Int>) throws -> (TableSums, TableSums) {
        let lost = lost.map(ColumnTerm.stored)
        return (
            try TableSums(before, key: key?.old ?? [], pairs.map(\.oldTerm) + lost, compared: compared),
            try TableSums(after, key: key?.new ?? [], pairs.map(\.newTerm), compared: compared)
        )
    }

    /// The terms that distinguish rows on both sides.
    struct Key {
        let old, new: [ColumnTerm]
        /// The condition that finds a row, with a parameter for each term.
        let condition: String
    }

    /// Nil if only their content distinguishes rows.
    private func key() throws -> Key? {
        if said.updated.keys.contains(where: old.keyNames.contains) { return nil }
        // SQLite takes any number of NULLs in a PRIMARY KEY that is not INTEGER.
        let isKey = try !old.key.isEmpty && !old.hasNullKey(before.core, before.table)
        if tie == .same, !isKey, let rowID = old.rowID, let now = new.rowID {
            return Key(
                old: [ColumnTerm(sql: rowID, isLoose: false)], new: [ColumnTerm(sql: now, isLoose: false)],
                condition: "\(now) = ?")
        }
        let columns = old.key.compactMap { name in pairs.first { $0.old == name } }  // exact: names of SQLite
        guard isKey, !columns.isEmpty, columns.count == old.key.count, Set(columns.map(\.new)) == Set(new.key) else {
            return nil
        }
        return Key(
            old: columns.map(\.oldTerm), new: columns.map(\.newTerm),
            condition: columns.map { "\(SQLTokens.quote($0.new.spelling)) IS ?" }.joined(separator: " AND "))
    }

    /// Finds columns that are gone under another name of the successor, by their values.
    private mutating func recover(_ one: TableSums, _ two: TableSums, _ key: Key?) throws -> Bool {
        let known = Set(pairs.map(\.new))
        let others = new.columns.filter { !known.contains($0.name) }
        guard one.rows == two.rows, one.keys == two.keys, !others.isEmpty,
            lost.indices.contains(where: { one.columns[pairs.count + $0].filled > 0 })
        else { return false }
        let found = try TableSums(after, key: key?.new ?? [], others.map { .stored($0.name) }).columns
        var free = Set(others.indices)
        var isRecovered = false
        for (column, sum) in zip(lost, one.columns[pairs.count...]) where sum.filled > 0 {
            let match = free.sorted().first { found[$0].values == sum.values && found[$0].filled == sum.filled }
            guard let match, let own = old.column(column) else { continue }
            free.remove(match)
            lost.removeAll { $0 == column }  // exact: names of SQLite
            add(own, others[match])
            isRecovered = true
        }
        return isRecovered
    }

    /// The values of columns that are gone, and stand in no table that the run has filled, beside their rows' keys.
    private func lostColumns(_ sums: TableSums) throws -> [TableEffect] {
        var effects: [TableEffect] = []
        for (column, sum) in zip(lost, sums.columns[pairs.count...]) where sum.filled > 0 && !said.leaves(column) {
            var search = ContentSearch(old.key + [column], before)
            let null = before.null
            let linked = filled.filter(\.isLinked)
            if !old.key.isEmpty, !linked.isEmpty {
                try before.forEach((old.key + [column]).map(ColumnTerm.converted)) { hashes, _ in
                    if hashes.last != null { _ = search.add(hashes) }
                }
                try search.look(in: linked, after.core)
            }
            guard search.isFound.contains(false) || Int64(search.isFound.count) < sum.filled else { continue }
            effects.append(
                TableEffect(
                    kind: .columnGone(column), count: Int(clamping: sum.filled), rows: (sums.rows, nil)))
        }
        return effects
    }
}
