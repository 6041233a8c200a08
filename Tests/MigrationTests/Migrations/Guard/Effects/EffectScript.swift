import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// A random schema with rows, and a random script of a few statements, with what the script itself says about rows.
/// It knows nothing of the guard.
struct EffectScript {
    /// What the statements of the script say.
    struct Said {
        /// Columns that an UPDATE sets, as `table.column`, and whether it says NULL.
        var updated: [String: Bool] = [:]
        /// Columns that the script leaves out by name.
        var left: Set<String> = []
        /// Tables from which a statement, or a trigger of the schema, deletes rows.
        var deleted: Set<String> = []
        var inserted: Set<String> = []
        /// Tables whose rows are put back after they were taken away.
        var refilled: Set<String> = []
        /// Tables that another one replaces.
        var replaced: Set<String> = []
        /// Whether the rows of a table can stand in `archive`.
        var archives = false

        mutating func set(_ column: String, null: Bool = false) { updated[column] = null || updated[column] == true }
    }

    private(set) var schema: [String] = []
    private(set) var statements: [String] = []
    private(set) var said = Said()
    private var random: SplitMix64
    private var triggers: [String: [String]] = [:]

    /// The key of each table, and its columns.
    static let tables: [String: (key: String?, columns: [String])] = [
        "p": ("id", ["id", "a", "b"]), "c": ("id", ["id", "p", "v"]), "l": (nil, ["x", "n"]),
        "w": ("k", ["k", "v"]), "g": ("id", ["id", "q"]), "f": ("rowid", ["t"]), "archive": ("id", ["id", "a", "b"]),
    ]

    init(seed: UInt64) {
        random = SplitMix64(state: seed)
        makeSchema()
        for _ in 0..<number(1...6) { add() }
    }

    /// The same script with one more statement.
    func extended() -> EffectScript {
        var script = self
        script.add()
        return script
    }

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func chance(_ percent: Int) -> Bool { number(0...99) < percent }
    private mutating func one(_ texts: String...) -> String { texts[number(0...(texts.count - 1))] }

    // MARK: Schema

    private mutating func makeSchema() {
        func action(_ script: inout EffectScript) -> String {
            script.one("CASCADE", "SET NULL", "SET DEFAULT", "RESTRICT", "NO ACTION")
        }
        schema = [
            "CREATE TABLE p (id INTEGER PRIMARY KEY, a TEXT, b INTEGER)",
            "CREATE TABLE c (id INTEGER PRIMARY KEY, p INTEGER DEFAULT NULL REFERENCES p "
                + "ON DELETE \(action(&self)) ON UPDATE \(action(&self)), v TEXT)",
            "CREATE TABLE l (x TEXT, n INTEGER)",
            "CREATE TABLE w (k TEXT PRIMARY KEY, v TEXT) WITHOUT ROWID",
            "CREATE TABLE g (id INTEGER PRIMARY KEY, q INTEGER, d INTEGER AS (q * 2))",
            "CREATE VIRTUAL TABLE f USING fts5 (t)",
            "CREATE TABLE archive (id INTEGER PRIMARY KEY, a TEXT, b INTEGER)",
            "CREATE VIEW vg AS SELECT id, q FROM g",
        ]
        for id in 1...5 {
            let b = chance(25) ? "NULL" : "\(number(0...3))"
            schema.append("INSERT INTO p VALUES (\(id), 'a\(number(1...4))', \(b))")
            let parent = chance(25) ? "NULL" : "\(number(1...5))"
            schema.append("INSERT INTO c VALUES (\(id), NULL, 'v\(number(1...4))')")
            schema.append("UPDATE c SET p = \(parent) WHERE id = \(id) AND \(id) = 5")
            schema.append("INSERT INTO l VALUES ('x\(number(1...3))', \(number(1...5)))")
            schema.append("INSERT INTO w VALUES ('k\(id)', 'v\(number(1...4))')")
            schema.append("INSERT INTO g (id, q) VALUES (\(id), \(number(1...9)))")
            schema.append("INSERT INTO f (t) VALUES ('word\(id)')")
        }
        schema.append("UPDATE c SET p = id WHERE id < \(number(1...5))")
        let possible = [
            ("p", "CREATE TRIGGER t1 AFTER UPDATE OF a ON p BEGIN UPDATE w SET v = new.a WHERE k = 'k' || new.id; END"),
            ("l", "CREATE TRIGGER t2 AFTER DELETE ON l BEGIN DELETE FROM f WHERE rowid = old.n; END"),
            ("l", "CREATE TRIGGER t3 AFTER INSERT ON l BEGIN UPDATE c SET v = NULL WHERE id = new.n; END"),
            ("vg", "CREATE TRIGGER t4 INSTEAD OF UPDATE ON vg BEGIN UPDATE g SET q = new.q WHERE id = old.id; END"),
        ]
        for (table, sql) in possible where table == "vg" || chance(30) {
            schema.append(sql)
            triggers[table, default: []].append(sql)
        }
    }

    // MARK: Statements

    private mutating func add() {
        switch number(0...19) {
        case 0: update("p", "a", "a || 'x'")
        case 1: update("p", "b", "NULL", null: true)
        case 2: update("p", "b", "(SELECT n FROM l WHERE x = 'x1' AND n = p.b)")
        case 3: update("c", "v", "v || 'y'")
        case 4: update("l", "x", "x || 'z'")
        case 5: update("w", "v", "upper(v)")
        case 6: update("p", "id", "id + 100")
        case 7: delete(one("p", "c", "l", "w", "g", "f"))
        case 8: insertNew()
        case 9: reseed()
        case 10: replace()
        case 11: rebuild("p", "id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INTEGER", "id, a, b")
        case 12: rebuild("c", "id INTEGER PRIMARY KEY, p INTEGER, v TEXT", one("id, p, v", "id, v, p", "id, NULL, v"))
        case 13: rebuildLog()
        case 14: rebuild("w", "k TEXT PRIMARY KEY, v TEXT", one("k, v", "k, v || ''", "k, lower(k)"))
        case 15: directive()
        case 16: move()
        case 17: statements.append("UPDATE vg SET q = \(number(20...30)) WHERE id = \(number(1...5))")
        case 18: throughTemporary()
        default: statements.append("ALTER TABLE \(one("p", "c", "l", "g")) ADD COLUMN z\(statements.count) INTEGER")
        }
    }

    private mutating func condition() -> String { one("", " WHERE rowid = \(number(1...5))", " WHERE rowid > 3") }

    private mutating func update(_ table: String, _ column: String, _ value: String, null: Bool = false) {
        let rows = table == "w" ? one("", " WHERE k = 'k2'") : condition()
        statements.append("UPDATE \(table) SET \(column) = \(value)\(rows)")
        said.set("\(table).\(column)", null: null)
    }

    private mutating func delete(_ table: String) {
        statements.append("DELETE FROM \(table)\(table == "w" ? " WHERE k = 'k\(number(1...7))'" : condition())")
        sayDeleted(table)
    }

    private mutating func sayDeleted(_ table: String) {
        said.deleted.insert(table)
        if table == "l", triggers["l", default: []].contains(where: { $0.contains("DELETE FROM f") }) {
            said.deleted.insert("f")
        }
    }

    private mutating func insertNew() {
        let id = number(40...90)
        statements.append(
            one(
                "INSERT OR IGNORE INTO p VALUES (\(id), 'new', 1)", "INSERT INTO l VALUES ('x\(id)', \(number(1...5)))",
                "INSERT INTO f (t) VALUES ('new')", "INSERT OR IGNORE INTO w VALUES ('n\(id)', 'new')"))
        for table in ["p", "l", "f", "w"] where statements.last?.contains("INTO \(table) ") == true {
            said.inserted.insert(table)
        }
    }

    /// Rows are thrown away, and others get their ids.
    private mutating func reseed() {
        let table = one("g", "p", "l")
        statements.append("DELETE FROM \(table) WHERE rowid <= 2")
        let values = ["g": "(id, q) VALUES (1, 77), (2, 78)", "p": "VALUES (1, 'seed', 7)", "l": "VALUES ('seed', 9)"]
        statements.append("INSERT OR IGNORE INTO \(table) \(values[table] ?? "")")
        sayDeleted(table)
        said.inserted.insert(table)
    }

    private mutating func replace() {
        let (table, values) =
            chance(50) ? ("w", "('k\(number(1...6))', 'other')") : ("p", "(\(number(1...5)), 'other', 1)")
        statements.append("INSERT OR REPLACE INTO \(table) VALUES \(values)")
        said.inserted.insert(table)
    }

    /// Create, copy, drop, rename.
    private mutating func rebuild(_ table: String, _ columns: String, _ copied: String) {
        let joined = table == "p" && chance(25) ? " JOIN c ON c.p = p.id" : table == "w" && chance(25) ? " LIMIT 3" : ""
        let list = joined.contains("JOIN") ? "p.id, p.a, p.b" : copied
        statements += [
            "CREATE TABLE fresh (\(columns))",
            "INSERT OR IGNORE INTO fresh SELECT \(list) FROM \(table)\(joined)", "DROP TABLE \(table)",
            "ALTER TABLE fresh RENAME TO \(table)",
        ]
        statements += triggers[table] ?? []
        said.replaced.insert(table)
        said.inserted.insert(table)
    }

    private mutating func rebuildLog() {
        statements += [
            "CREATE TABLE fresh (x TEXT, n INTEGER)",
            "INSERT INTO fresh SELECT x, n FROM l\(one("", "", " WHERE n > 2"))", "DROP TABLE l",
            "ALTER TABLE fresh RENAME TO l",
        ]
        statements += triggers["l"] ?? []
        said.replaced.insert("l")
        said.inserted.insert("l")
    }

    private mutating func throughTemporary() {
        statements += [
            "CREATE TEMP TABLE s AS SELECT * FROM l", "DELETE FROM l",
            "INSERT INTO l SELECT * FROM s\(one("", " WHERE n <> 3"))", "DROP TABLE s",
        ]
        sayDeleted("l")
        said.inserted.insert("l")
        said.refilled.insert("l")
    }

    private mutating func directive() {
        let (set, column) = chance(50) ? ("-- lockstep: set q = q + 1\n", "q INTEGER") : ("", "q INTEGER AS (id * 3)")
        statements.append("DROP VIEW IF EXISTS vg")
        statements.append(
            "-- lockstep: rebuild table g\n\(set)CREATE TABLE g (id INTEGER PRIMARY KEY, \(column), d INTEGER AS (q * 2))"
        )
        if !set.isEmpty { said.set("g.q") }
        said.replaced.insert("g")
    }

    private mutating func move() {
        let rows = " WHERE id = \(number(1...5))"
        statements += ["INSERT OR IGNORE INTO archive SELECT id, a, b FROM p\(rows)", "DELETE FROM p\(rows)"]
        sayDeleted("p")
        said.archives = true
    }

    /// The version's text.
    func text(_ declarations: [String]) -> String {
        Scratch.up((declarations.map { "-- lockstep: \($0)" } + statements.map { "\($0);" }).joined(separator: "\n"))
    }
}
