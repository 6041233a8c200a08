import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Programs without encryption read the export.
@Suite("Plaintext export")
struct PlaintextExportTests {
    private let scratch: DatabaseScratch
    private let target: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        target = try DatabaseScratch("plain.db")
    }

    private func makeStore() throws -> Store {
        let store = try Store.create(scratch.path, rawKey: scratch.key())
        try store.blocking.write { connection in
            try connection.setHeaderField("user_version", 9)
            try connection.run(
                script: """
                    CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, x);
                    INSERT INTO t (id, x) VALUES (3, 'Grüße'), (5, x'00ff'), (8, 1.5), (9, NULL);
                    CREATE TABLE hidden (x); INSERT INTO hidden (rowid, x) VALUES (-4, 'r');
                    CREATE TABLE pair (a, b, PRIMARY KEY (b, a)) WITHOUT ROWID;
                    INSERT INTO pair VALUES (1, 2), (2, 1);
                    CREATE INDEX i ON t (x); CREATE VIEW v AS SELECT x FROM t;
                    CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM hidden; END;
                    CREATE VIRTUAL TABLE words USING fts5(text);
                    INSERT INTO words (rowid, text) VALUES (6, 'alpha beta');
                    """)
        }
        return store
    }

    private static let queries = [
        "SELECT id || quote(x) FROM t ORDER BY id", "SELECT rowid || x FROM hidden",
        "SELECT a || b FROM pair ORDER BY a", "SELECT seq FROM sqlite_sequence",
        "SELECT type || name || sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name",
        "SELECT rowid || text FROM words WHERE words MATCH 'beta'", "PRAGMA user_version", "PRAGMA integrity_check",
    ]

    /// Python's own SQLite, if present.
    private enum Python {
        static let missing: Comment = "there is no python3 with sqlite3"

        static let isPresent = (try? run("print(sqlite3.sqlite_version)", "")) != nil

        /// The output of a script that finds a path in `path`.
        static func run(_ script: String, _ path: FilePath) throws -> [String] {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/env")
            process.arguments = ["python3", "-c", "import sqlite3, sys; path = sys.argv[1]\n\(script)", path.string]
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            let answer = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            return String(decoding: answer, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    @Test(
        "Another program's SQLite reads the same content",
        .enabled(if: Python.isPresent, Python.missing))
    func otherProgram() throws {
        let store = try makeStore()
        let report = try PlaintextExport(to: target.path).run(on: store)
        #expect(report.rows == ["t": 4, "hidden": 1, "pair": 2])
        #expect(try target.names == ["plain.db"])
        #expect(try DatabaseScratch.mode(of: target.path) == 0o600)
        #expect(try target.bytes.starts(with: DatabaseFile.magic))
        #expect(try target.bytes.count == report.pages * 4096)
        let encrypted = try RawDatabase(scratch.path, key: RawDatabase.keyspec)
        for query in Self.queries {
            let script = """
                for row in sqlite3.connect(path).execute(\"""\(query)\"""):
                    print(str(row[0]).replace('\\n', ' '))
                """
            let expected = try encrypted.run(query).map {
                $0.replacingOccurrences(of: "\n", with: " ")
            }
            #expect(!expected.isEmpty)
            #expect(try Python.run(script, target.path) == expected, "\(query)")
        }
    }

    @Test("The export contains the engine's own tables and can be adopted again")
    func roundTrip() throws {
        let store = try makeStore()
        try store.blocking.withoutTransaction { connection in
            _ = try Migrator(MigrationSet(folder: Programs.package.appending("Migrations/photos"))).run(on: connection)
        }
        try PlaintextExport(to: target.path).run(on: store)
        let again = try DatabaseScratch()
        let report = try Adoption(of: target.path, into: again.path).run(key: again.key(2))
        #expect(report.applicationID == 0)
        let first = try scratch.open()
        let second = try Connection.open(again.path, key: again.key(2))
        #expect(try Ledger.entries(second).count == Ledger.entries(first).count)
        let schema: SQL = "SELECT group_concat(name || sql) FROM (SELECT * FROM sqlite_schema ORDER BY name)"
        #expect(try first.value(schema, as: String.self) == second.value(schema))
    }

    @Test("A file at the target stays, and so does a leftover of an interrupted export") func refusals() throws {
        let store = try makeStore()
        #expect(throws: Stop.self) {
            try PlaintextExport(to: target.path).run(on: store) { _ in throw Stop() }
        }
        #expect(try target.names == [])
        try target.folder.write("plain.db", "something of somebody's")
        Refusal.expect(.alreadyExists) { try PlaintextExport(to: target.path).run(on: store) }
        Refusal.expect(.alreadyExists) { try PlaintextExport(to: scratch.path).run(on: store) }
        #expect(try target.bytes == Array("something of somebody's".utf8))
        #expect(try target.names == ["plain.db"])
    }

    @Test("A function of the program is also available during the export")
    func functions() throws {
        var options = StoreOptions()
        options.connection.functions = [
            SQLFunction("half", argumentCount: 1, isDeterministic: true) { _ in .integer(1) }
        ]
        let store = try Store.create(scratch.path, rawKey: scratch.key(), options: options)
        try store.blocking.write { connection in
            try connection.execute("CREATE TABLE t (a)")
            try connection.execute("CREATE INDEX i ON t (half(a))")
            try connection.execute("INSERT INTO t VALUES (5)")
        }
        #expect(try PlaintextExport(to: target.path).run(on: store).rows == ["t": 1])
    }

    @Test("Awaited, it has the same result, and cancelling its task ends it")
    func awaited() async throws {
        let store = try makeStore()
        let report = try await JobThread.run {
            try PlaintextExport(to: target.path).run(on: store)
        }
        #expect(report.rows["t"] == 4)
        let other = target.folder.file("other.db")
        let task = Task {
            withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await JobThread.run { try PlaintextExport(to: other).run(on: store) }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try target.names == ["plain.db"])
    }
}
