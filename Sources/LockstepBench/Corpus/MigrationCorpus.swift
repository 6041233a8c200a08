/// One migration of the corpus.
struct CorpusMigration: Hashable, Sendable {
    /// The name without version and ending.
    let name: String
    /// The statements, for tools that know nothing of rebuilds.
    let statements: [String]
    /// The content of Lockstep's file, if it has a directive for the change.
    let directives: String?
    /// What Lockstep's file declares: the effects on rows that no statement says.
    var declarations: [String] = []
    /// Whether it replaces a table, which needs foreign keys switched off around its transaction.
    var isRebuild: Bool { directives != nil }
}

/// Migrations such as a program collects over the years, drawn from a fixed state: the same everywhere. A shorter list
/// is the beginning of a longer one.
///
/// A hundred contain about 22 new tables, 28 new columns, 20 indexes, 8 rebuilds of tables, 8 triggers, 5 views and 9
/// that insert or change rows.
struct MigrationCorpus {
    private var generator = Generator(seed: 0x6D69_6772_6174_6500)
    private var tables: [CorpusTable] = []
    private var migrations: [CorpusMigration] = []

    /// The first `count` migrations.
    static func migrations(_ count: Int) -> [CorpusMigration] {
        var corpus = MigrationCorpus()
        for _ in 0..<count { corpus.add() }
        return corpus.migrations
    }

    private var number: Int { migrations.count + 1 }

    private mutating func add() {
        guard tables.count >= 3 else { return createTable() }
        switch draw(100) {
        case ..<22: createTable()
        case ..<50: addColumn()
        case ..<70: createIndex()
        case ..<78: rebuild()
        case ..<86: createTrigger()
        case ..<91: createView()
        default: changeRows()
        }
    }

    private mutating func draw(_ bound: Int) -> Int {
        Int(generator.draw() >> 8) % bound
    }

    private mutating func append(
        _ name: String, _ statements: [String], directives: String? = nil, declarations: [String] = []
    ) {
        migrations.append(
            CorpusMigration(name: name, statements: statements, directives: directives, declarations: declarations))
    }

    // MARK: Kinds

    private static let nouns = [
        "account", "address", "album", "badge", "basket", "branch", "channel", "client", "comment",
        "contract", "device", "document", "event", "folder", "group", "invoice", "label", "member",
        "message", "order", "payment", "photo", "product", "profile", "project", "review", "role",
        "session", "shipment", "team", "ticket", "token", "user", "vendor", "workspace",
    ]

    private mutating func createTable() {
        let noun = Self.nouns[draw(Self.nouns.count)]
        var table = CorpusTable(name: tables.isEmpty ? "audit" : "\(noun)_\(tables.count)")
        table.columns = [CorpusColumn(name: "id", type: "INTEGER PRIMARY KEY")]
        for _ in 0..<(3 + draw(6)) { table.columns.append(newColumn(in: table)) }
        if draw(10) < 3 { table.columns.append(CorpusColumn(name: "code", type: "TEXT UNIQUE")) }
        var indexes: [String] = []
        for position in 0..<min(draw(3), tables.count) {
            let parent = tables[draw(tables.count)].name
            let action = ["", " ON DELETE CASCADE", " ON DELETE SET NULL"][draw(3)]
            let column = "parent_\(position)"
            table.columns.append(
                CorpusColumn(
                    name: column, type: "INTEGER REFERENCES \(parent) (id)\(action)",
                    parent: parent))
            let index = "\(table.name)_by_\(column)"
            indexes.append("CREATE INDEX \(index) ON \(table.name) (\(column))")
        }
        table.dependents = indexes
        append("create_\(table.name)", [table.definition(as: table.name)] + indexes)
        tables.append(table)
    }

    private mutating func newColumn(in table: CorpusTable) -> CorpusColumn {
        let types = [
            "TEXT", "INTEGER", "REAL", "BLOB", "TEXT NOT NULL DEFAULT ''",
            "INTEGER NOT NULL DEFAULT 0", "TEXT COLLATE NOCASE",
        ]
        let words = ["name", "state", "size", "note", "kind", "rank", "owner", "place"]
        return CorpusColumn(name: "\(words[draw(words.count)])_\(table.columns.count)", type: types[draw(types.count)])
    }

    private mutating func addColumn() {
        let index = draw(tables.count)
        let column = newColumn(in: tables[index])
        tables[index].columns.append(column)
        let table = tables[index].name
        append("add_\(column.name)_to_\(table)", ["ALTER TABLE \(table) ADD COLUMN \(column.name) \(column.type)"])
    }

    private mutating func createIndex() {
        let index = draw(tables.count)
        let table = tables[index]
        let column = table.columns[1 + draw(table.columns.count - 1)].name
        let name = "\(table.name)_index_\(number)"
        let condition = draw(10) == 0 ? " WHERE \(column) IS NOT NULL" : ""
        let sql = "CREATE INDEX \(name) ON \(table.name) (\(column), id)\(condition)"
        tables[index].dependents.append(sql)
        append("index_\(table.name)", [sql])
    }

    private mutating func createTrigger() {
        let index = draw(tables.count)
        let table = tables[index].name
        // Triggers on the audit itself would never end.
        guard index > 0 else { return createIndex() }
        let event = ["INSERT", "UPDATE", "DELETE"][draw(3)]
        let row = event == "DELETE" ? "old" : "new"
        let audit = tables[0]
        let sql = """
            CREATE TRIGGER \(table)_\(event.lowercased())_\(number) AFTER \(event) ON \(table)
            BEGIN
                INSERT INTO \(audit.name) (id, \(audit.columns[1].name))
                SELECT coalesce(max(id), 0) + 1, \(row).id FROM \(audit.name);
                UPDATE \(audit.name) SET \(audit.columns[2].name) = \(number) WHERE id = \(row).id;
            END
            """
        tables[index].dependents.append(sql)
        append("watch_\(table)", [sql])
    }

    private mutating func createView() {
        let first = tables[draw(tables.count)]
        let second = tables[draw(tables.count)]
        append(
            "view_of_\(first.name)",
            [
                """
                CREATE VIEW view_\(number) AS
                SELECT a.id, a.\(first.columns[1].name) AS one, b.\(second.columns[1].name) AS two
                FROM \(first.name) AS a LEFT JOIN \(second.name) AS b ON b.id = a.id
                """
            ])
    }

    // MARK: Rows

    private mutating func changeRows() {
        // Only triggers write rows of the audit.
        let index = 1 + draw(tables.count - 1)
        let table = tables[index]
        guard table.rows > 0 else {
            tables[index].rows = 20 + draw(60)
            let sql = table.insertion(of: tables[index].rows, tables, number)
            return append("fill_\(table.name)", [sql], declarations: declarations(table))
        }
        let column = table.columns[1]
        append(
            "change_\(table.name)", ["UPDATE \(table.name) SET \(column.name) = 'changed' WHERE id % 3 = 0"],
            declarations: declarations(table))
    }

    /// The triggers of a table update rows of the audit.
    private func declarations(_ table: CorpusTable) -> [String] {
        let audit = tables[0]
        return table.dependents.contains { $0.contains("CREATE TRIGGER") }
            ? ["allow changed values of column \(audit.name).\(audit.columns[2].name)"] : []
    }

    private mutating func rebuild() {
        let index = draw(tables.count)
        let columns = tables[index].columns
        let free = columns.indices.filter { $0 > 0 && !columns[$0].isBounded }
        guard let chosen = free.isEmpty ? nil : free[draw(free.count)] else {
            return createIndex()
        }
        tables[index].columns[chosen].isBounded = true
        let table = tables[index]
        append(
            "bound_\(table.name)", table.rebuild,
            directives: "-- lockstep: rebuild table \(table.name)\n" + table.definition(as: table.name))
    }
}
