import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Baselines")
struct BaselineTests {
    private let scripts = [
        Scratch.up("CREATE TABLE a (x INTEGER);", down: "DROP TABLE a;"),
        Scratch.up("CREATE TABLE b (y TEXT);", down: "DROP TABLE b;"),
        Scratch.up("CREATE TABLE c (z);", down: "DROP TABLE c;"),
    ]

    /// A database that another program created.
    private func found(_ sql: String...) throws -> Connection {
        let connection = try Connection.inMemory()
        for statement in sql { try connection.execute(SQL(verbatim: statement)) }
        return connection
    }

    @Test("Versions that match the schema are recorded and not run; migrating continues after them")
    func adopting() throws {
        let connection = try found("create table A (x integer)", "CREATE TABLE b(y TEXT)")
        try connection.execute("INSERT INTO a VALUES (1)")
        let set = try Scratch.set(scripts)
        let count = try Baseline(set, at: MigrationVersion(2)).record(on: connection)
        #expect(count == 2)
        #expect(try Scratch.int(connection, "PRAGMA user_version") == 2)
        let report = try Migrator(set).run(on: connection)
        #expect(report.steps.map(\.version.description) == ["3"])
        #expect(try Scratch.int(connection, "SELECT x FROM a") == 1)
        #expect(try Migrator(set).run(.back(2), on: connection).steps.count == 2)
        #expect(try Scratch.schema(connection).count == 1)
    }

    @Test("A schema of another version is refused, and accepted on request")
    func differences() throws {
        let set = try Scratch.set(scripts)
        let connection = try found("CREATE TABLE a (x INTEGER)", "CREATE TABLE stranger (s)")
        for version in [1, 2, 3] as [UInt64] {
            let error = #expect(throws: LockstepError.self) {
                try Baseline(set, at: MigrationVersion(version)).record(on: connection)
            }
            #expect(error?.code == .schemaBroken)
            #expect(error?.message.contains("stranger is unexpected") == true)
            #expect(try Ledger.entries(connection).isEmpty)
        }
        let forced = Baseline(set, at: MigrationVersion(1), acceptsDifferences: true)
        #expect(try forced.record(on: connection) == 1)
    }

    @Test("Tables of another set's versions are no difference")
    func besideOthers() throws {
        let connection = try Connection.inMemory()
        let other = try MigrationSet(
            name: "other", files: [(name: "1_o.sql", content: Scratch.up("CREATE TABLE o (p);"))])
        _ = try Migrator(other).run(on: connection)
        try connection.execute("CREATE TABLE a (x INTEGER)")
        let set = try Scratch.set(scripts)
        #expect(try Baseline(set, at: MigrationVersion(1)).record(on: connection) == 1)
        Refusal.expect(.schemaBroken) {
            let fresh = try Connection.inMemory()
            _ = try Migrator(other).run(on: fresh)
            try Baseline(set, at: MigrationVersion(1)).record(on: fresh)
        }
    }

    @Test("An unknown version, a second baseline, an unsound set, another program's file: refused")
    func refused() throws {
        let connection = try found("CREATE TABLE a (x INTEGER)")
        let set = try Scratch.set(scripts)
        Refusal.expect(.migrationMissing) {
            try Baseline(set, at: MigrationVersion(9)).record(on: connection)
        }
        try Baseline(set, at: MigrationVersion(1)).record(on: connection)
        Refusal.expect(.alreadyExists) {
            try Baseline(set, at: MigrationVersion(1)).record(on: connection)
        }
        Refusal.expect(.schemaBroken) {
            try Baseline(set, at: MigrationVersion(2)).record(on: connection)
        }
        let gap = try MigrationSet(
            name: "gap", files: [(name: "1_a.sql", content: scripts[0]), (name: "3_c.sql", content: scripts[2])])
        Refusal.expect(.versionGap) {
            try Baseline(gap, at: MigrationVersion(1)).record(on: connection)
        }
        let foreign = try found("CREATE TABLE a (x INTEGER)")
        try foreign.setHeaderField("application_id", 77)
        Refusal.expect(.foreignApplication) {
            try Baseline(set, at: MigrationVersion(1)).record(on: foreign)
        }
    }

    // MARK: Version 1 from the database

    private static let definitions = [
        "CREATE TABLE person (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, -- in full\n born TEXT)",
        "CREATE TABLE \"an odd; name\" (a AS (b + 1), b, CHECK (b <> ';'))",
        "CREATE TABLE rowless (k TEXT PRIMARY KEY) WITHOUT ROWID", "CREATE VIRTUAL TABLE doc USING fts5(body)",
        "CREATE UNIQUE INDEX by_name ON person (name COLLATE NOCASE) WHERE born NOT NULL",
        "CREATE VIEW adult AS SELECT * FROM person WHERE born < '2008' -- of age",
        "CREATE TRIGGER t AFTER INSERT ON person BEGIN SELECT 1; UPDATE person SET born = ';'; END",
    ]

    @Test("The schema becomes version 1 and is recorded; a fresh build of the file equals it")
    func fromDatabase() throws {
        let connection = try Connection.inMemory()
        for sql in Self.definitions { try connection.execute(SQL(verbatim: sql)) }
        try connection.execute("INSERT INTO person (name) VALUES ('a')")
        try connection.execute("INSERT INTO doc VALUES ('some words')")
        try connection.execute("ANALYZE")
        let before = try SchemaSnapshot(connection)
        let folder = try TemporaryFolder()
        // Neither folder exists.
        let place = folder.file("Sets").appending("My Schema")
        let made = try Baseline.writeFirstVersion(into: place, from: connection)
        #expect(made.set.name == "my-schema")
        #expect(made.file == place.appending("0001_baseline.sql"))
        let set = try MigrationSet(folder: place)
        #expect(set == made.set)
        let fresh = try Connection.inMemory()
        _ = try Migrator(set).run(on: fresh)
        #expect(try SchemaSnapshot(fresh).differences(from: before).isEmpty)
        #expect(try SchemaSnapshot(connection).differences(from: before).isEmpty)
        #expect(try Ledger.entries(connection).map(\.version) == [MigrationVersion(1)])
        #expect(try Migrator(set).run(on: connection).steps.isEmpty)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM doc WHERE doc MATCH 'words'") == 1)
    }

    @Test(
        "A comment in a definition is no directive of the file that is written",
        arguments: [
            "-- lockstep: protect t.b dataset=evil", "--LOCKSTEP:allow loss of table t", "-- lockstep: down",
            "-- +goose Down", "-- migrate:down",
        ])
    func comments(_ comment: String) throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, b TEXT)")
        try connection.execute(SQL(verbatim: "CREATE VIEW v AS SELECT b /* x\n*/\n\(comment)\n FROM t"))
        let before = try SchemaSnapshot(connection)
        let folder = try TemporaryFolder()
        let made = try Baseline.writeFirstVersion(into: folder.file("set"), from: connection)
        #expect(made.set.migrations.count == 1)
        let text = String(decoding: try Bytes.read(made.file), as: UTF8.self)
        #expect(text.contains("-- left out") && !text.contains(comment.dropFirst(2)))
        let fresh = try Connection.inMemory()
        _ = try Migrator(MigrationSet(folder: folder.file("set"))).run(on: fresh)
        #expect(try SchemaSnapshot(fresh).differences(from: before).isEmpty)
    }

    @Test("What cannot be a version 1 is refused, and no file is left")
    func refusedAsFirst() throws {
        let folder = try TemporaryFolder()
        let place = folder.file("films")
        let empty = try Connection.inMemory()
        Refusal.expect(.migrationMalformed) {
            _ = try Baseline.writeFirstVersion(into: place, from: empty)
        }
        let recorded = try Connection.inMemory()
        _ = try Migrator(Scratch.set(scripts)).run(on: recorded)
        Refusal.expect(.alreadyExists) {
            _ = try Baseline.writeFirstVersion(into: place, from: recorded)
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path.string).isEmpty)
        let plain = try found("CREATE TABLE a (x)")
        _ = try Baseline.writeFirstVersion(into: place, from: plain)
        let other = try found("CREATE TABLE a (x)")
        Refusal.expect(.alreadyExists) {
            _ = try Baseline.writeFirstVersion(into: place, from: other)
        }
        #expect(try Ledger.entries(other).isEmpty)
    }
}
