/// A folder of migrations as it grows over years: tables are rebuilt by hand, in one version or across several, moved,
/// given other types, and lose columns and rows. It knows which declarations are true.
public struct GrownFolder {
    /// The number of versions after which the database has its rows, which no declaration is needed for.
    public private(set) var first = 0
    /// The versions from 1 on.
    public private(set) var scripts: [String] = []
    /// What the versions after ``first`` lose, as declarations.
    public private(set) var needed: [String] = []
    /// The number of rows of each table at the end.
    public var counts: [String: Int] { tables.mapValues(\.rows) }

    private struct Table {
        var columns: [(name: String, type: String)]
        var parent: String?
        var rows: Int

        var definition: String {
            columns.map { "\($0.name) \($0.type)" }.joined(separator: ", ")
                + (parent.map { ", FOREIGN KEY (parent) REFERENCES \($0) (id)" } ?? "")
        }
    }
    private var tables: [String: Table] = [:]
    private var random: SplitMix64
    private var made = 0

    /// - Parameter versions: The least number of versions.
    public init(seed: UInt64, versions: Int) {
        random = SplitMix64(state: seed)
        var filling: [String] = []
        for number in 0..<8 {
            let parent = number % 2 == 1 ? "t\(number - 1)" : nil
            let table = Table(
                columns: [("id", "INTEGER PRIMARY KEY"), ("name", "TEXT"), ("code", "TEXT"), ("parent", "INTEGER")],
                parent: parent, rows: 20)
            tables["t\(number)"] = table
            scripts.append("CREATE TABLE t\(number) (\(table.definition));")
            filling.append(
                """
                WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
                INSERT INTO t\(number) SELECT i, 'it''s ' || i, printf('%05d', i), i FROM n;
                """)
        }
        scripts.append(filling.joined(separator: "\n"))
        first = scripts.count
        while scripts.count < versions { grow() }
    }

    /// The versions that declarations are about, for messages.
    public func story(of declarations: Set<String>) -> String {
        declarations.sorted().map { one in
            let version = one.split(separator: ":").first.flatMap { Int($0) } ?? 1
            let table = one.split(whereSeparator: { " .".contains($0) }).dropFirst().reversed()
            let name = table.count > 1 ? String(table[table.index(after: table.startIndex)]) : ""
            let before = scripts[..<version].enumerated().suffix(8).filter {
                $0.element.contains(name)
            }
            return one + "\n" + before.map { "\($0.offset + 1): \($0.element)" }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private mutating func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private func isParent(_ name: String) -> Bool {
        tables.values.contains { $0.parent == name && $0.rows > 0 }
    }

    private mutating func add(_ script: String, needs: String...) {
        scripts.append(script)
        for one in needs { needed.append("\(scripts.count): \(one)") }
    }

    private mutating func grow() {
        let names = tables.keys.sorted()
        guard let name = names.randomElement(using: &random), let table = tables[name] else {
            return makeTable()
        }
        switch Int.random(in: 0..<100, using: &random) {
        case ..<25: rebuild(name, table)
        case ..<50: rebuildSlowly(name, table)
        case ..<58: dropColumn(name, table)
        case ..<72: addColumn(name, table)
        case ..<78: changeType(name, table)
        case ..<83: deleteRows(name, table)
        case ..<85: dropTable(name, table)
        case ..<92: move(name, table)
        default: makeTable()
        }
    }

    // MARK: Versions that lose nothing

    private mutating func makeTable() {
        made += 1
        let table = Table(columns: [("id", "INTEGER PRIMARY KEY"), ("name", "TEXT"), ("code", "TEXT")], rows: 2)
        tables["m\(made)"] = table
        add(
            "CREATE TABLE m\(made) (\(table.definition));\n"
                + "INSERT INTO m\(made) VALUES (1, 'a', '007'), (2, 'b', NULL);")
    }

    private mutating func addColumn(_ name: String, _ table: Table) {
        made += 1
        tables[name]?.columns.append(("c\(made)", "TEXT"))
        add("ALTER TABLE \(name) ADD COLUMN c\(made) TEXT DEFAULT 'x';")
    }

    private func copy(_ name: String, _ table: Table) -> String {
        let columns = table.columns.map(\.name).joined(separator: ", ")
        return "CREATE TABLE \(name)_new (\(table.definition));\n"
            + "INSERT INTO \(name)_new (\(columns)) SELECT \(columns) FROM \(name);"
    }

    /// A rebuild needs foreign keys off where other rows refer to the table.
    private mutating func rebuild(_ name: String, _ table: Table) {
        let script = copy(name, table) + "\nDROP TABLE \(name);\nALTER TABLE \(name)_new RENAME TO \(name);"
        guard isParent(name) else { return add(script) }
        if chance(70) {
            add("-- lockstep: foreign keys off\n" + script)
        } else {
            add(script, needs: "foreign keys off")
        }
    }

    /// Meanwhile the references of other tables lead to nothing.
    private mutating func rebuildSlowly(_ name: String, _ table: Table) {
        add(copy(name, table))
        if isParent(name) {
            add("-- lockstep: foreign keys off\nDROP TABLE \(name);")
        } else {
            add("DROP TABLE \(name);")
        }
        add("ALTER TABLE \(name)_new RENAME TO \(name);")
    }

    private mutating func move(_ name: String, _ table: Table) {
        guard !tables.values.contains(where: { $0.parent == name }) else { return }
        made += 1
        var moved = table
        moved.parent = nil
        moved.columns = table.columns.map {
            ($0.name, $0.type.split(separator: " ").first.map(String.init) ?? "")
        }
        add("CREATE TABLE v\(made) AS SELECT * FROM \(name);")
        add("DROP TABLE \(name);")
        tables[name] = nil
        tables["v\(made)"] = moved
    }

    // MARK: Versions that lose something

    private mutating func dropColumn(_ name: String, _ table: Table) {
        guard table.rows > 0, let column = table.columns.map(\.name).last(where: { !["id", "parent"].contains($0) })
        else { return }
        tables[name]?.columns.removeAll { $0.name == column }
        add("ALTER TABLE \(name) DROP COLUMN \(column);", needs: "allow loss of column \(name).\(column)")
    }

    private mutating func changeType(_ name: String, _ table: Table) {
        guard table.rows > 0, let place = table.columns.firstIndex(where: { $0.name == "code" && $0.type == "TEXT" })
        else { return }
        var changed = table
        changed.columns[place].type = "INTEGER"
        tables[name] = changed
        let columns = table.columns.map(\.name).joined(separator: ", ")
        add(
            (isParent(name) ? "-- lockstep: foreign keys off\n" : "")
                + "CREATE TABLE \(name)_new (\(changed.definition));\n"
                + "INSERT INTO \(name)_new (\(columns)) SELECT \(columns) FROM \(name);\n"
                + "DROP TABLE \(name);\nALTER TABLE \(name)_new RENAME TO \(name);",
            needs: "allow changed values of column \(name).code")
    }

    private mutating func deleteRows(_ name: String, _ table: Table) {
        guard table.rows == 20, !isParent(name) else { return }
        tables[name]?.rows = 15
        add("DELETE FROM \(name) WHERE id > 15;", needs: "allow loss of table \(name)")
    }

    private mutating func dropTable(_ name: String, _ table: Table) {
        guard table.rows > 0, !tables.values.contains(where: { $0.parent == name }) else { return }
        tables[name] = nil
        add("DROP TABLE \(name);", needs: "allow loss of table \(name)")
    }
}
