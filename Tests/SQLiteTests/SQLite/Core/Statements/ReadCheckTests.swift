import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Reads of a damaged page")
struct ReadCheckTests {
    private let scratch: DatabaseScratch

    /// One row, whose text ends on the file's last page: no later page is read that could fail.
    init() throws {
        scratch = try DatabaseScratch()
        let connection = try scratch.create()
        try connection.execute("CREATE TABLE note (id INTEGER PRIMARY KEY, body TEXT)")
        try connection.execute("INSERT INTO note VALUES (1, ?)", String(repeating: "lockstep ", count: 1334))
    }

    private func damageLastPage() throws {
        try scratch.damage { bytes in bytes[bytes.count - 2000] ^= 1 }
    }

    @Test("An undamaged file is read normally")
    func whole() throws {
        let length: Int? = try scratch.open().value("SELECT length(body) FROM note")
        #expect(length == 12_006)
    }

    @Test("A single query reports that a page failed, and returns no row of it")
    func query() throws {
        try damageLastPage()
        let connection = try scratch.open()
        Refusal.expect(.damaged) {
            _ = try connection.value("SELECT body FROM note", as: String.self)
        }
        Refusal.expect(.damaged) {
            _ = try connection.query("SELECT body FROM note") { row in try row[0] as String }
        }
    }

    @Test("A read does the same, in a snapshot or a store")
    func read() throws {
        try damageLastPage()
        let connection = try scratch.open()
        let sql: SQL = "SELECT body FROM note"
        Refusal.expect(.damaged) {
            _ = try connection.read { try $0.value(sql, as: String.self) }
        }
        let store = try Store.open(scratch.path, rawKey: scratch.key())
        Refusal.expect(.damaged) {
            _ = try store.blocking.read { try $0.value(sql, as: String.self) }
        }
    }

    @Test("Values that a write has read of it are not committed")
    func write() throws {
        try damageLastPage()
        let connection = try scratch.open()
        #expect(throws: LockstepError.self) {
            try connection.write { connection in
                let body: String? = try connection.value("SELECT body FROM note")
                try connection.execute("INSERT INTO note VALUES (2, ?)", body)
            }
        }
        #expect(try connection.value("SELECT count(*) FROM note") == 1)
    }
}
