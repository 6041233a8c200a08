import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What a store has seen proven must stay proven, on each of its connections.
@Suite("A store that is open while its file is tampered with")
struct SealedProofTests {
    private let bench: TamperedDatabase
    private let prototype: OperatorPrototype

    init() throws {
        prototype = try OperatorPrototype.finished.get()
        bench = try TamperedDatabase(prototype)
    }

    /// Without memory: only what the store itself has seen counts.
    private func store() throws -> Store {
        try bench.openStore(bench.keys().withoutMemory())
    }

    private func insert(_ connection: borrowing Connection) throws {
        let film = try connection.readable("film")
        try connection.execute("INSERT INTO \(film) (title, note) VALUES (\("\(OperatorProgram.sealedMarker)x"), 'y')")
    }

    @Test(
        "The registry stripped under an open store: the next transaction is refused, on every connection"
    )
    func stripped() throws {
        let store = try store()
        try store.blocking.write { try insert($0) }
        #expect(try store.blocking.read { try $0.texts("SELECT title FROM film_open").count } == 13)
        try bench.tamper { connection in try SealedTrustTests.strip(connection) }
        for _ in 0..<2 {
            Refusal.expect(.registryMissing) { try store.blocking.write { try insert($0) } }
            Refusal.expect(.registryMissing) {
                _ = try store.blocking.read { try $0.texts("SELECT title FROM film_open") }
            }
        }
        // A reader that is opened only now has seen nothing itself.
        Refusal.expect(.registryMissing) {
            try store.blocking.read { _ in
                _ = try store.blocking.read { connection in
                    try connection.texts("SELECT title FROM film_open")
                }
            }
        }
        #expect(try !bench.holds(OperatorProgram.sealedMarker))
    }

    @Test(
        "An older registry under an open store, which a reader opened later does not take for the newest"
    )
    func older() throws {
        let store = try store()
        try store.blocking.write { try insert($0) }
        try bench.tamper { connection in try prototype.states[1].write(connection) }
        Refusal.expect(.registryOlder) { try store.blocking.write { try insert($0) } }
        let reader = try #require(throws: LockstepError.self) {
            _ = try store.source.openReader()
        }
        #expect(reader.code == .registryOlder)
        // Another store has nothing to compare with, without what the keyring remembers.
        _ = try self.store()
    }

    @Test("Put back as it was, the store goes on")
    func putBack() throws {
        let store = try store()
        #expect(try store.blocking.read { try $0.texts("SELECT title FROM film_open").count } == 12)
        try bench.tamper { connection in
            for table in RegistryRows.names {
                try connection.execute("DELETE FROM main.\(name: table)")
            }
        }
        Refusal.expect(.registryMissing) { try store.blocking.write { try insert($0) } }
        try bench.tamper { connection in try prototype.states.last?.write(connection) }
        try store.blocking.write { try insert($0) }
        #expect(try store.blocking.read { try $0.texts("SELECT title FROM film_open").count } == 13)
        #expect(try !bench.holds(OperatorProgram.sealedMarker))
    }

    @Test("A store that is held to its migration set is held to it on every later connection")
    func requireSealed() throws {
        let store = try store()
        try store.blocking.requireSealed(by: OperatorPrototype.set())
        // A state that says less and is genuine: after the first column was sealed.
        try bench.tamper { connection in
            try connection.dropGuards()
            try prototype.states[0].write(connection)
        }
        Refusal.expect(.registryOlder) { try store.blocking.write { try insert($0) } }
        // Without the counter, the set alone notices.
        let fresh = try self.store()
        let error = try #require(throws: LockstepError.self) {
            try fresh.blocking.requireSealed(by: OperatorPrototype.set())
        }
        #expect(error.code == .registryMissing)
        #expect(error.message.contains("film.note"), "\(error)")
        #expect(error.hint != nil)
    }

    @Test("A set accepts what is sealed, and requires only what it has applied") func requireSealedBySets() throws {
        let store = try store()
        try store.blocking.requireSealed(by: OperatorPrototype.set())
        // Its last version is not applied.
        try store.blocking.requireSealed(by: OperatorPrototype.set(isGrown: true))
        try bench.tamper(
            """
            INSERT INTO lockstep_migration (position, "set", version, name, checksum_bytes, checksum_text,
                checksum_tokens, down, applied_at, duration, tool_version)
            SELECT position + 1, "set", '4', name, checksum_bytes, checksum_text, checksum_tokens, down,
                applied_at, duration, tool_version
            FROM lockstep_migration ORDER BY position DESC LIMIT 1
            """)
        Refusal.expect(.registryMissing) {
            try store.blocking.requireSealed(by: OperatorPrototype.set(isGrown: true))
        }
    }

    @Test(
        "Without the keys a set is compared with what anyone can claim, which is better than nothing"
    )
    func withoutKeys() throws {
        func store() throws -> Store {
            try Store.open(bench.path, rawKey: bench.keyring().databaseKey(for: bench.path))
        }
        try store().blocking.requireSealed(by: OperatorPrototype.set())
        try bench.tamper { connection in try SealedTrustTests.strip(connection) }
        Refusal.expect(.registryMissing) {
            try store().blocking.requireSealed(by: OperatorPrototype.set())
        }
    }
}
