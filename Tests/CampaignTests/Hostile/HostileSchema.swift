@testable import EngineTestSupport
@testable import Lockstep

/// An operator's changes to the database before a program with the keys opens it: shapes, and the SQL that makes them.
struct HostileSchema {
    /// One shape; its statements run together or not at all.
    struct Part {
        let shape: HostileShape
        let statements: [String]
    }

    let parts: [Part]
    /// Whether the schema's version stays the same, so that open connections do not notice.
    let isSilent: Bool

    /// - Parameter cells: Cells of some rows, each as `x'…', key…`, for SQL that is written before its row exists.
    init(_ dice: inout HostileDice, cells: [String]) {
        var parts: [Part] = []
        for _ in 0...dice.number(below: 4) {
            let shape = dice.pick(HostileShape.allCases)
            var writer = HostileWriter(dice: dice, cells: cells, number: parts.count)
            parts.append(Part(shape: shape, statements: writer.statements(for: shape)))
            dice = writer.dice
        }
        self.parts = parts
        isSilent = dice.chance(8)
    }

    /// Those that plant a call in a default, which an earlier version pasted into privileged SQL.
    static func defaults(_ dice: inout HostileDice, cells: [String]) -> HostileSchema {
        HostileSchema(.expressionDefault, &dice, cells: cells)
    }

    /// Those that plant calls where SQLite itself does not refuse them: it parses the schema before it knows the
    /// functions.
    static func computed(_ dice: inout HostileDice, cells: [String]) -> HostileSchema {
        HostileSchema(.generatedStored, &dice, cells: cells)
    }

    /// Four parts of one shape.
    private init(_ shape: HostileShape, _ dice: inout HostileDice, cells: [String]) {
        var parts: [Part] = []
        for number in 0..<4 {
            var writer = HostileWriter(dice: dice, cells: cells, number: number)
            parts.append(Part(shape: shape, statements: writer.statements(for: shape)))
            dice = writer.dice
        }
        self.init(parts: parts, isSilent: false)
    }

    private init(parts: [Part], isSilent: Bool) {
        (self.parts, self.isSilent) = (parts, isSilent)
    }
}

/// Writes the SQL of one shape.
struct HostileWriter {
    var dice: HostileDice
    let cells: [String]
    /// Which part of the schema it is, to keep names distinct.
    let number: Int

    /// Tables with sealed columns, and one such column of each.
    static let sealed = [
        ("film", "title"), ("film", "note"), ("film", "genre"), ("pair", "secret"),
        ("code", "cl\u{E9}"), ("log", "entry"),
    ]

    /// Replaces part of SQLite's own text of an object.
    func replace(_ old: String, _ new: String, in name: String) -> String {
        "UPDATE sqlite_schema SET sql = replace(sql, \(text(old)), \(text(new))) WHERE name = \(text(name))"
    }

    func text(_ text: String) -> String { SQLTokens.quoteText(text) }

    func quote(_ name: String) -> String { SQLTokens.quote(name) }

    /// Adds a column or a constraint to a table through its text alone, without rewriting rows.
    func add(_ clause: String, to table: String, isConstraint: Bool = false) -> String {
        if table == "pair" {
            let mark = isConstraint ? ") WITHOUT ROWID" : ","
            let new = isConstraint ? ", \(clause)) WITHOUT ROWID" : ", \(clause), PRIMARY KEY"
            return isConstraint
                ? replace(mark, new, in: table)
                : "UPDATE sqlite_schema SET sql = substr(sql, 1, instr(sql, 'PRIMARY KEY') - 1) || \(text("\(clause), ")) || substr(sql, instr(sql, 'PRIMARY KEY')) WHERE name = 'pair'"
        }
        return
            "UPDATE sqlite_schema SET sql = substr(sql, 1, length(sql) - 1) || \(text(", \(clause))")) WHERE name = \(text(table)) AND type = 'table'"
    }

    mutating func table() -> String { dice.pick(["film", "film", "pair", "code", "log"]) }

    /// A name that no other part uses.
    mutating func freshName() -> String { "\(dice.name())\(number)" }

    var lootTable: String { "CREATE TABLE IF NOT EXISTS loot (a, b, c)" }

    // MARK: Shapes

    mutating func statements(for shape: HostileShape) -> [String] {
        switch shape {
        case .expressionDefault, .literalDefault, .changedDefault, .generatedVirtual, .generatedStored, .check,
            .columnCheck, .collation, .conflictClause, .keyClause, .strictTable, .addedColumn:
            tableStatements(for: shape)
        case .tableCase, .renamedTable, .renamedColumn, .swappedColumns, .tokenGenerated, .sealedGenerated, .twinName,
            .replacedByView, .replacedByVirtualTable, .openName, .pragmaName, .schemaName:
            nameStatements(for: shape)
        case .trigger, .recursiveTrigger, .raisingTrigger, .insteadOfTrigger, .engineTrigger,
            .droppedGuards, .fakeGuard, .foreignKey:
            triggerStatements(for: shape)
        default: readingStatements(for: shape)
        }
    }

    /// An expression that the file is not entitled to compute.
    mutating func expression(_ row: String = "") -> String {
        let call = dice.chance(4) ? dice.loot(row) : dice.call(row)
        return dice.pick([
            call, "(\(call))", "((\(call)))", "lower(\(call))", "coalesce(NULL, \(call))",
            "CASE WHEN 1 THEN \(call) END", "/* ' */ \(call)", "'it''s' || \(call)", "'\u{301}' || \(call)",
        ])
    }

    private mutating func tableStatements(for shape: HostileShape) -> [String] {
        let table = table()
        switch shape {
        case .expressionDefault:
            let call = dice.callOnKnown(cells)
            let wrapped = dice.pick([
                "(\(call))", "((\(call)))", "( /* ' */ \(call) )", "(\(call) -- )\n)",
                "('\u{301}' || \(call))", "(CASE WHEN 1 THEN \(call) END)", "(+\(call))",
            ])
            let column = quote(freshName())
            let type = dice.pick(["TEXT", "BLOB", "", "ANY", "INTEGER"])
            return [add("\(column) \(type) NOT NULL DEFAULT \(wrapped)", to: table)]
        case .changedDefault:
            return [
                replace("DEFAULT 1900", "DEFAULT (\(dice.callOnKnown(cells)))", in: "film")
            ]
        case .literalDefault:
            let literal = dice.pick([
                "'it''s'", "x'AB'", "-5", "(- 7)", "0x1F", "1e3", "TRUE", "CURRENT_DATE", "+.5",
                "('\u{301}''')", "( 'a' || 'b' )", "\"word\"", "word", "5.", "-0x7fffffffffffffff",
                "'autoincrement'", "9e999", "(1, 2)", "'/*'", "'--'",
            ])
            return [add("\(quote(freshName())) NOT NULL DEFAULT \(literal)", to: table)]
        case .generatedVirtual, .generatedStored:
            let kind = shape == .generatedStored ? "STORED" : "VIRTUAL"
            return [add("\(quote(freshName())) TEXT AS (\(expression())) \(kind)", to: table)]
        case .check:
            return [
                add(
                    "CHECK (\(expression()) IS NOT \(dice.plaintext()))", to: table,
                    isConstraint: true)
            ]
        case .columnCheck:
            return [add("\(quote(freshName())) CHECK (\(expression()) IS NOT 1)", to: table)]
        case .collation:
            let collation = dice.pick(["NOCASE", "RTRIM", "BINARY", "unknown", "lockstep_open"])
            return [
                replace("a TEXT NOT NULL", "a TEXT NOT NULL COLLATE \(collation)", in: "pair"),
                replace("c TEXT NOT NULL", "c TEXT NOT NULL COLLATE \(collation)", in: "code"),
            ]
        case .conflictClause:
            let policy = dice.pick(["REPLACE", "IGNORE", "ROLLBACK", "FAIL"])
            return [
                replace(
                    "id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY ON CONFLICT \(policy)",
                    in: dice.pick(["film", "plain"])),
                replace("NOT NULL DEFAULT 'untitled'", "NOT NULL ON CONFLICT \(policy) DEFAULT 'untitled'", in: "film"),
            ]
        case .keyClause:
            return [
                dice.pick([
                    replace(
                        "id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY AUTOINCREMENT", in: "film"
                    ),
                    replace("id INTEGER PRIMARY KEY", "id INTEGER PRIMARY KEY DESC", in: "film"),
                    replace("id INTEGER PRIMARY KEY", "id INT PRIMARY KEY", in: "film"),
                    replace("PRIMARY KEY (b, a)", "PRIMARY KEY (a, b)", in: "pair"),
                    replace(" AUTOINCREMENT", "", in: "log"),
                ])
            ]
        case .strictTable:
            return ["UPDATE sqlite_schema SET sql = sql || ' STRICT' WHERE name = 'film' AND type = 'table'"]
        default:
            let name = quote(freshName())
            let value = dice.pick(["1", "'x'", "NULL", dice.plaintext(), "x'f900000003'", "CURRENT_TIME"])
            return [
                "ALTER TABLE \(quote(table)) ADD COLUMN \(name) \(dice.pick(["TEXT", "BLOB", ""])) DEFAULT \(value)"
            ]
        }
    }

    private mutating func readingStatements(for shape: HostileShape) -> [String] {
        let name = freshName()
        switch shape {
        case .partialIndex, .expressionIndex:
            // Created with allowed content, then changed.
            let table = dice.pick(["film", "log"])
            let column = table == "film" ? "title" : "entry"
            let call =
                dice.spelled(dice.pick(["lockstep_open", "lockstep_token", "lockstep_seal"]))
                + "\(dice.number(below: 6)), \(column), id)"
            let isPartial = shape == .partialIndex
            return [
                isPartial
                    ? "CREATE INDEX \(quote(name)) ON \(table) (id) WHERE length(\(column)) > 1"
                    : "CREATE INDEX \(quote(name)) ON \(table) (length(\(column)))",
                replace("length(\(column))", isPartial ? "length(\(call))" : "(\(call))", in: name),
            ]
        case .view:
            return [
                "CREATE VIEW \(quote(name)) AS SELECT \(dice.loot("")), \(dice.call("")) AS b FROM film"
            ]
        case .statistics:
            return [
                "ANALYZE",
                "UPDATE sqlite_stat1 SET stat = \(dice.pick(["'1 1'", "'x'", "NULL", "'999999999999 1 unordered'", "x'00'"]))",
                "INSERT INTO sqlite_stat1 VALUES ('film', 'nothing', '0 0'), ('nothing', NULL, '5')",
            ]
        case .sequence:
            return [
                "UPDATE sqlite_sequence SET seq = \(dice.pick(["'abc'", "9223372036854775807", "-5", "NULL", "x'01'", "1e300", "77"]))",
                "INSERT INTO sqlite_sequence VALUES ('film', 500), ('log', 900)",
            ]
        case .fts5Content:
            return [
                "CREATE VIRTUAL TABLE \(quote(name)) USING fts5(title, note, content='\(dice.pick(["film", "film_open", "sqlite_temp_schema", "temp.film_open"]))', content_rowid='id')",
                "CREATE TRIGGER \(quote(name + "i")) AFTER INSERT ON film BEGIN INSERT INTO \(quote(name)) (rowid, title) VALUES (NEW.id, \(dice.chance(2) ? "hex(NEW.title)" : expression("NEW."))); END",
                "CREATE VIEW \(quote(name + "v")) AS SELECT title FROM \(quote(name))",
            ]
        case .fts5Contentless:
            return [
                "CREATE VIRTUAL TABLE \(quote(name)) USING fts5(body, content='')",
                "CREATE TRIGGER \(quote(name + "i")) BEFORE UPDATE ON film BEGIN INSERT INTO \(quote(name)) (rowid, body) VALUES (OLD.id, \(expression("OLD."))); END",
            ]
        case .fts5Triggers:
            return [
                "CREATE VIRTUAL TABLE \(quote(name)) USING fts5(body)",
                "CREATE TRIGGER \(quote(name + "c")) AFTER INSERT ON \(quote(name + "_content")) BEGIN INSERT INTO \(quote(name + "_config")) VALUES ('rank', 'bm25(lockstep_open(0))'); END",
                "INSERT OR REPLACE INTO \(quote(name + "_config")) VALUES ('rank', 'bm25((SELECT lockstep_open(0, title, id) FROM film))')",
                "CREATE TRIGGER \(quote(name + "i")) AFTER INSERT ON film BEGIN INSERT INTO \(quote(name)) (body) VALUES (hex(NEW.title)); END",
            ]
        case .fts4Functions:
            return [
                "CREATE VIRTUAL TABLE \(quote(name)) USING fts4(x, compress=length, uncompress=hex)",
                "CREATE TRIGGER \(quote(name + "i")) AFTER INSERT ON film BEGIN INSERT INTO \(quote(name)) (docid, x) VALUES (NEW.id, \(dice.pick(["NEW.title", "hex(NEW.title)", "quote(NEW.note)"]))); END",
                "CREATE VIEW \(quote(name + "v")) AS SELECT x FROM \(quote(name))",
                "UPDATE sqlite_schema SET sql = replace(replace(sql, '=length', \(text(dice.pick(["=lockstep_seal", "=lockstep_token", "=lockstep_open_whole", "=lower"])))), '=hex', '=lockstep_open') WHERE name = \(text(name))",
            ]
        case .fts4Content:
            return [
                "CREATE VIRTUAL TABLE \(quote(name)) USING fts4(content=\(dice.pick(["film", "\"film_open\"", "\"sqlite_temp_schema\"", "\"temp.film_open\""])), title, note)",
                "CREATE TRIGGER \(quote(name + "d")) BEFORE DELETE ON film BEGIN DELETE FROM \(quote(name)) WHERE docid = OLD.id; END",
                "CREATE TRIGGER \(quote(name + "i")) AFTER UPDATE ON film BEGIN INSERT INTO \(quote(name)) (docid, title, note) VALUES (NEW.id, NEW.title, NEW.note); END",
            ]
        default:
            return [
                "CREATE VIRTUAL TABLE \(quote(name)) USING rtree(id, x0, x1, +kept)",
                "CREATE TRIGGER \(quote(name + "i")) AFTER INSERT ON film BEGIN INSERT INTO \(quote(name)) VALUES (NEW.id, length(NEW.title), length(NEW.title), \(expression("NEW."))); END",
                "CREATE TRIGGER \(quote(name + "n")) AFTER INSERT ON \(quote(name + "_rowid")) BEGIN INSERT INTO \(quote(name + "_parent")) VALUES (random(), \(dice.call(""))); END",
            ]
        }
    }
}
