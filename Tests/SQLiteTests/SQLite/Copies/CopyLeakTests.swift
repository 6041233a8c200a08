import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Searches for plaintext while an operation runs, from within its progress handlers.
@Suite(
    "Plaintext during copies and rearrangement of databases",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "there is no /proc"))
struct CopyLeakTests {
    /// Searches at each call, and keeps its findings.
    private final class Watch: Sendable {
        private let search: PlaintextSearch
        private let marker: String
        private let state = Mutex((searches: 0, found: Set<String>()))

        init(_ folder: FilePath, _ marker: String) {
            search = PlaintextSearch(folder)
            self.marker = marker
        }

        func look() {
            let places = (try? search.places(of: marker)) ?? ["the search failed"]
            state.withLock { state in
                state.searches += 1
                state.found.formUnion(places)
            }
        }

        var searches: Int { state.withLock { $0.searches } }
        var found: Set<String> { state.withLock { $0.found } }

        /// Options of a connection that searches while its statements run.
        func options(every instructions: Int = 10_000) -> ConnectionOptions {
            var options = ConnectionOptions()
            options.cacheBytes = 0
            options.progress = ProgressHandler(every: instructions) {
                self.look()
                return true
            }
            return options
        }
    }

    private let old: DatabaseScratch
    private let new: DatabaseScratch
    private let marker = "marker-\(UUID().uuidString)"
    private static let rows = 16_000

    init() throws {
        old = try DatabaseScratch("old.db")
        new = try DatabaseScratch("new.db")
    }

    private func fill(_ run: (String) throws -> Void) throws {
        try run("CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)")
        try run(
            """
            WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < \(Self.rows))
            INSERT INTO note SELECT i, (i * 7919 % 16_033) || ' \(marker) ' || hex(randomblob(60)) FROM n
            """)
    }

    @Test("The watch finds a sort's files where they are allowed")
    func negativeControl() throws {
        let watch = Watch(old.folder.path, marker)
        let connection = try old.create(watch.options())
        try fill { try connection.execute(SQL(verbatim: $0)) }
        #expect(watch.found == [])
        try connection.with(rights: .engine) { try connection.execute("PRAGMA temp_store = FILE") }
        try connection.execute("SELECT text FROM note ORDER BY text")
        #expect(watch.found != [])
    }

    @Test("During adoption, the watch finds only the plaintext original")
    func plaintextOriginal() throws {
        let database = try RawDatabase(old.path, key: nil)
        try fill { try database.run($0) }
        let (there, here) = (Watch(old.folder.path, marker), Watch(new.folder.path, marker))
        let adoption = Adoption(of: old.path, into: new.path, options: here.options())
        try adoption.run(key: new.key()) { _ in there.look() }
        here.look()
        #expect(there.found == [old.path.string] && there.searches > 0)
        #expect(here.found == [] && here.searches > 3)
    }

    @Test(
        "Adopting an encrypted original exposes none of its content",
        arguments: ["cipher_compatibility = 4", "cipher_compatibility = 3"])
    func adopting(_ pragma: String) throws {
        let database = try RawDatabase(old.path, key: "a pass phrase", pragma)
        try fill { try database.run($0) }
        try database.run("CREATE INDEX by_text ON note (text)")
        let (there, here) = (Watch(old.folder.path, marker), Watch(new.folder.path, marker))
        let adoption = Adoption(of: old.path, into: new.path, options: here.options())
        try adoption.run(
            passphrase: Passphrase(Array("a pass phrase".utf8).span), key: new.key()
        ) { _ in there.look() }
        here.look()
        #expect(there.found == [] && there.searches > 0)
        #expect(here.found == [] && here.searches > 3)
        #expect(try new.open().value("SELECT count(*) FROM note") == Self.rows)
    }

    @Test("Backing up and restoring expose nothing")
    func backup() throws {
        let watch = Watch(new.folder.path, marker)
        let store = try Store.create(old.path, rawKey: old.key())
        try store.blocking.write { connection in
            try fill { try connection.execute(SQL(verbatim: $0)) }
        }
        try store.blocking.backup(to: new.path, key: new.key(2)) { _ in watch.look() }
        try Restore(new.folder.file("third.db"), from: new.path).run(
            key: new.key(3), backupKey: new.key(2)
        ) { _ in watch.look() }
        watch.look()
        #expect(watch.found == [] && watch.searches >= 3)
    }

    @Test(
        "Sorts, indexes, compaction, full-text tables and scans around damage expose nothing",
        arguments: [
            "SELECT text FROM note ORDER BY text DESC", "CREATE INDEX by_text ON note (text)",
            "SELECT count(DISTINCT text || 'x') FROM note",
            "SELECT text, count(*) FROM (SELECT text FROM note UNION SELECT text || '!' FROM note) "
                + "GROUP BY 1",
            "VACUUM", "CREATE TABLE again AS SELECT * FROM note ORDER BY text",
            "INSERT INTO words SELECT text FROM note", "REINDEX by_end", "ANALYZE",
            "PRAGMA integrity_check", "SELECT text FROM note ORDER BY id DESC",
        ])
    func rearranging(_ sql: String) throws {
        do {
            let connection = try old.create()
            try fill { try connection.execute(SQL(verbatim: $0)) }
            try connection.execute("CREATE INDEX by_end ON note (substr(text, 4))")
            try connection.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
        }
        let watch = Watch(old.folder.path, marker)
        let connection = try old.open(watch.options(every: 20_000))
        if sql == "VACUUM" {
            try connection.vacuum()
        } else {
            try connection.execute(SQL(verbatim: sql))
        }
        watch.look()
        #expect(watch.found == [] && watch.searches > 1)
    }

    @Test("Salvage exposes nothing, during and after")
    func salvage() throws {
        do {
            let connection = try old.create()
            try fill { try connection.execute(SQL(verbatim: $0)) }
            try connection.execute("CREATE INDEX by_text ON note (text)")
        }
        try old.damage { $0[150 * 4096 + 50] ^= 1 }
        let (there, here) = (Watch(old.folder.path, marker), Watch(new.folder.path, marker))
        let report = try Salvage(old.path, into: new.path).run(key: old.key(), newKey: new.key()) {
            _ in
            there.look()
            here.look()
        }
        here.look()
        #expect(there.found == [] && here.found == [] && here.searches > 3)
        #expect(report.tables.map(\.name) == ["note"])
        let count: Int? = try new.open().value("SELECT count(*) FROM note")
        #expect((Self.rows / 2..<Self.rows).contains(count ?? 0))
    }

    @Test("Reading the intact rows around a damaged page exposes nothing")
    func scanAroundDamage() throws {
        do {
            let connection = try old.create()
            try fill { try connection.execute(SQL(verbatim: $0)) }
        }
        try old.damage { $0[150 * 4096 + 50] ^= 1 }
        let watch = Watch(old.folder.path, marker)
        let connection = try old.open(watch.options(every: 5000))
        var found = 0
        for order in ["ASC", "DESC"] {
            Refusal.expect(.damaged) {
                try connection.prepare(SQL(verbatim: "SELECT text FROM note ORDER BY id \(order)"))
                    .forEach { _ in found += 1 }
            }
            watch.look()
        }
        #expect(found > Self.rows / 2 && found < Self.rows)
        #expect(watch.found == [] && watch.searches > 2)
        #expect(try PageAudit(old.path).run(key: old.key()).damagedPages == [151])
    }
}
