import Testing

@testable import Lockstep

@Suite("Schema snapshots")
struct SchemaSnapshotTests {
    private func snapshot(_ statements: [String]) throws -> SchemaSnapshot {
        let connection = try Connection.inMemory()
        for statement in statements { try connection.execute(SQL(verbatim: statement)) }
        return try SchemaSnapshot(connection)
    }

    private let base = [
        "CREATE TABLE p (id INTEGER PRIMARY KEY)",
        "CREATE TABLE t (a INTEGER NOT NULL DEFAULT 3, b TEXT CHECK (b <> ''), p INTEGER REFERENCES p (id))",
        "CREATE INDEX i ON t (a DESC) WHERE b IS NOT NULL",
        "CREATE VIEW v AS SELECT a FROM t",
        "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1; END",
    ]

    @Test("Equal schemas written differently do not differ")
    func equal() throws {
        let other = [
            "create table \"P\"(\n  id integer primary key -- the key\n)",
            "CREATE TABLE [t] (\"a\" INTEGER NOT NULL DEFAULT 3,b TEXT CHECK(b<>''),p INTEGER REFERENCES p(id))",
            "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 1 ; END",
            "create view v as select a from t",
            "CREATE INDEX i ON t(a DESC)WHERE b IS NOT NULL",
        ]
        #expect(try snapshot(base).differences(from: snapshot(other)).isEmpty)
    }

    @Test(
        "Each change of an object is a difference of that object",
        arguments: [
            (
                1,
                "CREATE TABLE t (a INTEGER NOT NULL DEFAULT 4, b TEXT CHECK (b <> ''), p INTEGER REFERENCES p (id))"
            ),
            (
                1,
                "CREATE TABLE t (a INTEGER DEFAULT 3, b TEXT CHECK (b <> ''), p INTEGER REFERENCES p (id))"
            ),
            (
                1,
                "CREATE TABLE t (a INTEGER NOT NULL DEFAULT 3, b TEXT CHECK (b <> 'x'), p INTEGER REFERENCES p (id))"
            ),
            (
                1,
                "CREATE TABLE t (a INTEGER NOT NULL DEFAULT 3, b TEXT CHECK (b <> ''), p INTEGER REFERENCES p (id) ON DELETE CASCADE)"
            ),
            (
                1,
                "CREATE TABLE t (a INTEGER NOT NULL DEFAULT 3, b BLOB CHECK (b <> ''), p INTEGER REFERENCES p (id))"
            ),
            (
                1,
                "CREATE TABLE t (b TEXT CHECK (b <> ''), a INTEGER NOT NULL DEFAULT 3, p INTEGER REFERENCES p (id))"
            ),
            (
                1,
                "CREATE TABLE t (a INTEGER NOT NULL DEFAULT 3, b TEXT COLLATE NOCASE CHECK (b <> ''), p INTEGER REFERENCES p (id))"
            ),
            (2, "CREATE UNIQUE INDEX i ON t (a DESC) WHERE b IS NOT NULL"),
            (2, "CREATE INDEX i ON t (a) WHERE b IS NOT NULL"),
            (2, "CREATE INDEX i ON t (a DESC)"), (3, "CREATE VIEW v AS SELECT b FROM t"),
            (4, "CREATE TRIGGER g BEFORE INSERT ON t BEGIN SELECT 1; END"),
            (4, "CREATE TRIGGER g AFTER INSERT ON t BEGIN SELECT 2; END"),
        ])
    func different(index: Int, statement: String) throws {
        var changed = base
        changed[index] = statement
        let differences = try snapshot(changed).differences(from: snapshot(base))
        #expect(differences.map(\.change) == [.different])
        #expect(differences.allSatisfy { !$0.details.isEmpty })
    }
}
