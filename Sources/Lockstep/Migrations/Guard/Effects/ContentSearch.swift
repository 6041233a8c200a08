/// A table that the run has filled.
struct FilledTable {
    let image: TableImage
    /// Whether one of the statements that filled it names the table whose rows are looked for.
    let isLinked: Bool
}

/// Rows that are looked for, by their content, in tables that the run has filled: what stands there was moved.
struct ContentSearch {
    /// The most bytes of hashes that a comparison by content holds.
    static let limit = 256 << 20

    private let columns: [SQLName]
    private let source: RowSource
    /// The hashes of one row after another.
    private var hashes: [UInt128] = []
    private(set) var isFound: [Bool] = []

    init(_ columns: [SQLName], _ source: RowSource) {
        (self.columns, self.source) = (columns, source)
    }

    /// Takes a row, by the hashes of its converted values. False if there is no room.
    mutating func add(_ row: some Sequence<UInt128>) -> Bool {
        guard !columns.isEmpty, hashes.count + columns.count <= Self.limit / 16 else { return false }
        hashes += row
        isFound.append(false)
        return true
    }

    /// Looks for the rows in these tables.
    mutating func look(in tables: [FilledTable], _ core: ConnectionCore) throws {
        for table in tables where isFound.contains(false) {
            let target = RowSource(core: core, table: table.image.name, hashKey: source.hashKey)
            for mapping in try mappings(to: table, target) where isFound.contains(false) {
                try strike(mapping, target)
            }
        }
    }

    /// Marks the rows that stand in the target, each at least once.
    /// - Parameter mapping: The column of the target for each column; nil for one without values.
    private mutating func strike(_ mapping: [SQLName?], _ target: RowSource) throws {
        let used = columns.indices.filter { mapping[$0] != nil }
        guard !used.isEmpty else { return }
        var contents: Set<UInt128> = []
        try target.forEach(used.compactMap { mapping[$0] }.map(ColumnTerm.converted)) { hashes, _ in
            if contents.count < Self.limit / 32 { contents.insert(target.mixed(hashes)) }
        }
        for row in isFound.indices where !isFound[row] {
            let start = row * columns.count
            isFound[row] = contents.contains(source.mixed(used.map { hashes[start + $0] }))
        }
    }

    /// The ways in which columns can stand for one another: by their names, and where a target of these rows has no such
    /// name, by their values.
    private func mappings(to table: FilledTable, _ target: RowSource) throws -> [[SQLName?]] {
        var choices: [[SQLName?]] = []
        let names = Set(columns)
        let others = table.isLinked ? table.image.columns.map(\.name).filter { !names.contains($0) } : []
        for index in columns.indices {
            if table.image.column(columns[index]) != nil {
                choices.append([columns[index]])
                continue
            }
            let values = values(at: index)
            if values.isEmpty {
                choices.append([nil])
                continue
            }
            var fitting: [SQLName?] = []
            for other in others where try holds(values, in: other, target) { fitting.append(other) }
            guard !fitting.isEmpty else { return [] }
            choices.append(fitting)
        }
        var mappings: [[SQLName?]] = [[]]
        for choice in choices {
            mappings = mappings.flatMap { mapping in
                choice.filter { $0 == nil || !mapping.contains($0) }.map { mapping + [$0] }
            }
            // Columns of a few equal values fit everywhere.
            mappings = Array(mappings.prefix(32))
        }
        return mappings
    }

    private func values(at column: Int) -> Set<UInt128> {
        let null = source.null
        var values: Set<UInt128> = []
        for row in isFound.indices where !isFound[row] {
            let value = hashes[row * columns.count + column]
            if value != null { values.insert(value) }
        }
        return values
    }

    private func holds(_ values: Set<UInt128>, in column: SQLName, _ target: RowSource) throws -> Bool {
        var left = values
        try target.forEach([.converted(column)]) { hashes, _ in left.remove(hashes[0]) }
        return left.isEmpty
    }
}
