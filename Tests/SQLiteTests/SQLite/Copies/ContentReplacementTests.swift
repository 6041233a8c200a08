import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Replacing content")
struct ContentReplacementTests {
    private let scratch: DatabaseScratch
    private let backup: DatabaseScratch

    /// A backup of 20 rows under another key, and a database that has since grown to 400 rows and another table.
    init() throws {
        scratch = try DatabaseScratch()
        backup = try DatabaseScratch("copy.db")
        try scratch.fill(rows: 20)
        do {
            let store = try Store.open(scratch.path, rawKey: scratch.key())
            try store.blocking.backup(to: backup.path, key: backup.key(2))
        }
        let connection = try scratch.open()
        try connection.execute("CREATE TABLE more (x)")
        try scratch.add(rows: 380, to: connection)
    }

    private func source() throws -> Connection {
        try Connection.open(backup.path, key: backup.key(2))
    }

    @discardableResult
    private func replace(
        _ connection: borrowing Connection, if isNeeded: (borrowing Connection) throws -> Bool = { _ in true }
    ) throws -> Bool {
        try connection.replaceContent(with: source(), timeout: .zero, ifStill: isNeeded)
    }

    @Test("All content is replaced while other connections are open, and the file shrinks") func whole() throws {
        let connection = try scratch.open()
        let other = try scratch.open()
        #expect(try other.value("SELECT count(*) FROM more") == 0)
        try other.read { other in
            _ = try scratch.count(other)
            #expect(try replace(connection))
            // Its snapshot stays.
            let old = try scratch.count(other)
            #expect(old == 400)
        }
        #expect(try scratch.count(other) == 20)
        #expect(throws: LockstepError.self) { _ = try other.prepare("SELECT * FROM more") }
        #expect(try scratch.count(connection) == 20)
        try scratch.add(rows: 1, to: connection)
        #expect(try scratch.count(other) == 21)
        _ = consume other
        _ = consume connection
        #expect(try scratch.bytes.count == backup.bytes.count)
        #expect(try scratch.names == ["data.db"])
        #expect(try PageAudit(scratch.path).run(key: scratch.key()).isClean)
        let again = try scratch.open()
        try IntegrityPragma.require(again)
        #expect(try again.value("PRAGMA journal_mode", as: String.self) == "wal")
    }

    @Test("A backup of one page, the smallest possible")
    func smallest() throws {
        let empty = try DatabaseScratch("empty.db")
        do { _ = try empty.create().path }
        #expect(try empty.bytes.count == 4096)
        let connection = try scratch.open()
        #expect(try !connection.replaceContent(with: empty.open(), timeout: .zero, ifStill: { _ in false }))
        #expect(try scratch.count(connection) == 400)
        #expect(try connection.replaceContent(with: empty.open(), timeout: .zero, ifStill: { _ in true }))
        #expect(try Scratch.int(connection, "SELECT count(*) FROM sqlite_schema") == 0)
    }

    @Test("A check under the lock decides, and no other connection writes meanwhile") func condition() throws {
        let connection = try scratch.open()
        var options = ConnectionOptions()
        options.busyTimeout = .zero
        let other = try scratch.open(options)
        #expect(
            try !replace(connection) { _ in
                Refusal.expect(.busy) { try other.execute("DELETE FROM item") }
                return false
            })
        #expect(throws: Stop.self) { try replace(connection) { _ in throw Stop() } }
        #expect(try scratch.count(connection) == 400)
        try other.execute("DELETE FROM item WHERE id = 1")
        #expect(try scratch.count(connection) == 399)
    }

    @Test("While another connection writes, the replacement is busy")
    func busy() throws {
        var options = ConnectionOptions()
        options.busyTimeout = .zero
        let connection = try scratch.open(options)
        let other = try scratch.open()
        try other.write { other in
            try other.execute("DELETE FROM item WHERE id = 1")
            Refusal.expect(.busy) { try replace(connection) }
        }
        #expect(try scratch.count(connection) == 399)
        try connection.write { connection in
            Refusal.expect(.misuse) { try replace(connection) }
        }
    }

    @Test(
        "A page of the old content that does not verify stops the replacement, and nothing changes")
    func damaged() throws {
        do { try scratch.open().checkpoint(.truncate) }
        try scratch.damage { $0[4096 + 99] ^= 1 }
        let before = try scratch.bytes
        do {
            let connection = try scratch.open()
            #expect(throws: LockstepError.self) { try replace(connection) }
        }
        #expect(try scratch.bytes == before)
    }
}
