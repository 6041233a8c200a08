import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Files whose collations only their own program has, adopted and checked without it.
@Suite("Collations of a file's own program")
struct OwnCollationTests {
    /// An order that is none of SQLite's.
    enum Order: String, CaseIterable {
        case byEnd, folding, byLength

        private func key(_ text: String) -> [UInt8] {
            switch self {
            case .byEnd: text.utf8.reversed()
            case .folding: Array(text.lowercased().utf8).sorted()
            case .byLength: [UInt8(clamping: text.utf8.count)]
            }
        }

        var collation: Collation {
            Collation("PINYIN") { one, other in
                let (one, other) = (key(one), key(other))
                return one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
            }
        }
    }

    private static let schemas = [
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE PINYIN, n); CREATE INDEX i ON t (a);",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, n); CREATE INDEX i ON t (a COLLATE PINYIN DESC, n);",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a, n); CREATE INDEX i ON t (n, a COLLATE PINYIN, id);",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, n TEXT COLLATE NOCASE); CREATE INDEX i ON t (n, a COLLATE PINYIN);",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, n); CREATE INDEX i ON t (a COLLATE PINYIN, n COLLATE PINYIN DESC);",
        "CREATE TABLE t (id INTEGER, a TEXT COLLATE PINYIN, n, PRIMARY KEY (a, id)) WITHOUT ROWID;",
        "CREATE TABLE t (id INTEGER, a TEXT COLLATE PINYIN, n, UNIQUE (id, a)); CREATE INDEX i ON t (a, n);",
        "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE PINYIN, n);",
    ]

    private func options(_ order: Order) -> ConnectionOptions {
        var options = ConnectionOptions()
        options.collations = [order.collation]
        return options
    }

    private func make(_ scratch: CopyScratch, _ order: Order, _ schema: String, encoding: String = "UTF-8") throws {
        try Bytes.write([], to: scratch.old.path)
        let connection = try ExternalDatabase.makePlaintext(scratch.old.path, options: options(order))
        try connection.run(script: "PRAGMA encoding = '\(encoding)'; " + schema)
        var random = SplitMix64(state: UInt64(schema.utf8.count))
        let insert = try connection.prepare("INSERT OR IGNORE INTO t (id, a, n) VALUES (?, ?, ?)")
        for id in 1...200 {
            let letters = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                "abcABCé".randomElement(using: &random) ?? "a"
            }
            let text = Int.random(in: 0...9, using: &random) == 0 ? Value.null : .text(String(letters))
            let number = ["x", "X", "y"].randomElement(using: &random) ?? ""
            try insert.run(id, text, number)
        }
    }

    @Test("The indexes of an adopted file are in the collation's order", arguments: Order.allCases, schemas)
    func adopted(_ order: Order, _ schema: String) throws {
        for encoding in ["UTF-8", "UTF-16le"] {
            let scratch = try CopyScratch()
            try make(scratch, order, schema, encoding: encoding)
            let report = try scratch.adopt()
            #expect(report.ownCollations == ["PINYIN"])
            let connection = try scratch.new.open(options(order))
            try IntegrityPragma.require(connection)
            let source = try ExternalDatabase.openPlaintext(scratch.old.path)
            try source.add(order.collation)
            let query = SQL(
                verbatim: "SELECT quote(id) || quote(a) || quote(n) FROM t ORDER BY a COLLATE PINYIN, n, id")
            let (old, new) = (try source.query(query, as: String.self), try connection.query(query, as: String.self))
            #expect(old == new && old.count > 20)
        }
    }

    @Test("Control: with an order that is not the collation's, the checks fail")
    func control() throws {
        let scratch = try CopyScratch()
        try make(scratch, .byEnd, Self.schemas[0])
        Refusal.expect(.damaged) { try scratch.adopt(options(.byLength)) }
        _ = try scratch.adopt()
        let connection = try scratch.new.open(options(.byLength))
        Refusal.expect(.damaged) { try IntegrityPragma.require(connection) }
    }

    @Test("A copy and a check without the program go on, and then one still cannot write")
    func checked() throws {
        let scratch = try CopyScratch()
        try make(scratch, .byEnd, Self.schemas[1])
        _ = try scratch.adopt()
        let connection = try scratch.new.open()
        let (faults, collations) = try IntegrityPragma.check(connection, limit: 5)
        #expect(faults.isEmpty && collations == ["PINYIN"])
        #expect(try PageCopy.rowCounts(connection)["t"] == 200)
        let error = #expect(throws: LockstepError.self) {
            try connection.execute("INSERT INTO t VALUES (1000, 'a', 'x')")
        }
        #expect(error?.context.missing?.kind == .collation)
    }

    @Test("A row that is missing in an index is found without the collation")
    func damaged() throws {
        let scratch = try CopyScratch()
        try make(scratch, .byEnd, Self.schemas[0])
        _ = try scratch.adopt()
        do {
            let raw = try RawDatabase(scratch.new.path, key: RawDatabase.keyspec)
            // The table loses its index for the time of an insertion.
            try raw.run("PRAGMA writable_schema = ON")
            try raw.run("UPDATE sqlite_schema SET sql = replace(sql, 'PINYIN', 'NOCASE') WHERE name = 't'")
            try raw.run("CREATE TABLE kept AS SELECT * FROM sqlite_schema WHERE name = 'i'")
            try raw.run("DELETE FROM sqlite_schema WHERE name = 'i'")
        }
        do {
            let raw = try RawDatabase(scratch.new.path, key: RawDatabase.keyspec)
            try raw.run("INSERT INTO t VALUES (1000, 'abc', 'x')")
            try raw.run("PRAGMA writable_schema = ON")
            try raw.run("UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'PINYIN') WHERE name = 't'")
            try raw.run("INSERT INTO sqlite_schema SELECT * FROM kept")
        }
        let faults = try IntegrityPragma.faults(scratch.new.open(), limit: 5)
        #expect(faults.contains { $0.contains("index i") }, "\(faults)")
    }

    @Test(
        "What no index shows is refused by the collation's name",
        arguments: [
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, n); CREATE INDEX i ON t ((a || 'x') COLLATE PINYIN);",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE PINYIN, n); CREATE INDEX i ON t (a) WHERE n = 'x';",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE PINYIN, n); CREATE INDEX i ON t (id) WHERE a > 'b';",
            "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT COLLATE PINYIN CHECK (a <> 'zz'), n);",
        ])
    func refused(_ schema: String) throws {
        let scratch = try CopyScratch()
        try make(scratch, .byEnd, schema)
        let error = #expect(throws: LockstepError.self) { try scratch.adopt() }
        #expect(error?.context.missing?.name == "PINYIN", "\(String(describing: error))")
        #expect(try scratch.new.names.isEmpty)
        // The program itself adopts it.
        _ = try scratch.adopt(options(.byEnd))
    }
}
