import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Schema snapshots")
struct SchemaSnapshotTests {
    static func snapshot(_ statements: [String]) throws -> SchemaSnapshot {
        let connection = try Connection.inMemory()
        for statement in statements { try connection.execute(SQL(verbatim: statement)) }
        return try SchemaSnapshot(connection)
    }

    @Test("There are at least 60 kinds of change")
    func number() { #expect(DriftCases.changes.count + DriftCases.objects.count >= 60) }

    @Test(
        "Each single change is one difference, of the right object, reported with both forms",
        arguments: DriftCases.changes)
    func changed(change: DriftCases.Change) throws {
        let (base, other) = (try Self.snapshot(DriftCases.base), try Self.snapshot(change.statements))
        let differences = other.differences(from: base)
        #expect(differences.map { "\($0.type) \($0.name)" } == [change.object])
        let difference = try #require(differences.first)
        #expect(difference.change == .different)
        #expect(
            difference.details.contains { $0.contains(change.detail) }, "\(difference.details)")
        #expect(difference.details.count == 1, "\(difference.details)")
        #expect(difference.found != nil && difference.found != difference.expected)
        #expect(base.differences(from: other).count == 1)
        #expect(base != other)
    }

    @Test("Added and removed objects are named", arguments: DriftCases.objects)
    func objects(sql: String, change: SchemaSnapshot.Change, object: String) throws {
        let base = try Self.snapshot(DriftCases.base)
        let differences = try Self.snapshot(DriftCases.base + [sql]).differences(from: base)
        let difference = try #require(differences.first { "\($0.type) \($0.name)" == object }, "\(differences)")
        #expect(difference.change == change)
        #expect((difference.found == nil) == (change == .missing))
        #expect((difference.expected == nil) == (change == .unexpected))
    }

    @Test("Order, case and absence of unrelated objects")
    func order() throws {
        let base = [
            "CREATE TABLE a (x)", "CREATE TABLE b (x)", "CREATE INDEX i ON a (x)",
            "CREATE INDEX j ON b (x)", "CREATE VIEW v AS SELECT 1",
        ]
        let one = try Self.snapshot(base)
        for order in [[1, 0, 3, 4, 2], [4, 1, 3, 0, 2], [0, 2, 1, 3, 4]] {
            #expect(try Self.snapshot(order.map { base[$0] }) == one)
        }
    }

    @Test("Objects of SQLite and the engine, temporary and shadow objects are never drift") func ignored() throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT, b)")
        let before = try SchemaSnapshot(connection)
        try connection.with(rights: .engine) {
            try Ledger.prepare(connection)
            try connection.execute("CREATE TABLE LOCKSTEP_keyring (a)")
            try connection.execute("CREATE INDEX lockstep_i ON LOCKSTEP_keyring (a)")
        }
        try connection.execute("INSERT INTO t (b) VALUES (1)")
        try connection.execute("ANALYZE")
        try connection.execute("CREATE TEMP TABLE x (a)")
        try connection.execute("CREATE TEMP TRIGGER y AFTER INSERT ON main.t BEGIN SELECT 1; END")
        try connection.execute("CREATE TEMP VIEW z AS SELECT 1")
        #expect(try SchemaSnapshot(connection) == before)
        try connection.execute("CREATE VIRTUAL TABLE f USING fts5(x)")
        let differences = try SchemaSnapshot(connection).differences(from: before)
        #expect(differences.map(\.name) == ["f"])
    }

    @Test("A trigger on a table of the engine is drift, as is a view with a reserved name") func engineTables() throws {
        let connection = try Connection.inMemory()
        try connection.with(rights: .engine) {
            try Ledger.prepare(connection)
            let before = try SchemaSnapshot(connection)
            try connection.execute("CREATE TRIGGER x AFTER INSERT ON lockstep_migration BEGIN SELECT 1; END")
            try connection.execute("CREATE VIEW lockstep_v AS SELECT 1")
            let differences = try SchemaSnapshot(connection).differences(from: before)
            #expect(differences.map(\.name) == ["x", "lockstep_v"])
        }
    }

    @Test("An empty schema, and one of a thousand columns")
    func borders() throws {
        #expect(try Self.snapshot([]) == Self.snapshot([]))
        #expect(try Self.snapshot([]).differences(from: Self.snapshot(["CREATE TABLE t (a)"])).count == 1)
        func wide(_ last: String) -> String {
            "CREATE TABLE t (\((0..<1000).map { "c\($0) INTEGER" }.joined(separator: ", ")), \(last))"
        }
        let differences = try Self.snapshot([wide("z TEXT")])
            .differences(from: Self.snapshot([wide("z BLOB")]))
        #expect(differences.map(\.details) == [["column z: text, expected blob"]])
    }

    @Test("Differences of long definitions are shown with their surroundings")
    func excerpts() throws {
        let many = (0..<200).map { "a + \($0)" }.joined(separator: ", ")
        func view(_ last: String) -> [String] {
            ["CREATE TABLE t (a)", "CREATE VIEW v AS SELECT \(many), \(last), \(many) FROM t"]
        }
        let details = try Self.snapshot(view("a - 1")).differences(
            from: Self.snapshot(view("a - 2"))
        )
        .flatMap(\.details)
        let detail = try #require(details.first)
        #expect(detail.count < 400)
        #expect(detail.contains("a - 1") && detail.contains("a - 2") && detail.contains("…"))
    }
}
