import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Fresh builds")
struct ReferenceSchemaTests {
    private func ledger(_ sets: MigrationSet...) throws -> [LedgerEntry] {
        let connection = try Connection.inMemory()
        for set in sets { _ = try Migrator(set).run(on: connection) }
        return try Ledger.entries(connection)
    }

    private func build(_ ledger: [LedgerEntry], _ sets: [MigrationSet]) throws -> SchemaSnapshot {
        try SchemaSnapshot(
            ReferenceSchema.build(MigrationHistory(entries: ledger), sets, ConnectionOptions()) {
                true
            })
    }

    @Test("It equals the result of migrating, rebuilds and switched foreign keys included") func same() throws {
        let set = try Scratch.set(
            "-- lockstep: up\nCREATE TABLE p (id INTEGER PRIMARY KEY);\nCREATE TABLE c (p REFERENCES p);\nINSERT INTO p VALUES (1);\nINSERT INTO c VALUES (1);\n",
            "-- lockstep: up\n-- lockstep: rebuild table p\nCREATE TABLE p (id INTEGER PRIMARY KEY, n TEXT NOT NULL DEFAULT '');\n",
            "-- lockstep: up\n-- lockstep: foreign keys off\nALTER TABLE p ADD COLUMN m;\nCREATE VIEW v AS SELECT m FROM p;\n"
        )
        let connection = try Connection.inMemory()
        _ = try Migrator(set).run(on: connection)
        let migrated = try SchemaSnapshot(connection)
        let fresh = try build(Ledger.entries(connection), [set])
        #expect(fresh.differences(from: migrated) == [])
    }

    @Test("Only applied versions are built, in the order of the ledger")
    func order() throws {
        let one = try MigrationSet(
            name: "one",
            files: [
                (name: "1_a.sql", content: "-- lockstep: up\nCREATE TABLE a (x);\n"),
                (name: "2_b.sql", content: "-- lockstep: up\nALTER TABLE b ADD COLUMN y;\n"),
                (name: "3_c.sql", content: "-- lockstep: up\nCREATE TABLE never (y);\n"),
            ])
        let two = try MigrationSet(
            name: "two", files: [(name: "1_a.sql", content: "-- lockstep: up\nCREATE TABLE b (x);\n")])
        let connection = try Connection.inMemory()
        _ = try Migrator(one).run(.version(MigrationVersion(1)), on: connection)
        _ = try Migrator(two).run(on: connection)
        _ = try Migrator(one).run(.version(MigrationVersion(2)), on: connection)
        let fresh = try build(Ledger.entries(connection), [two, one])
        #expect(fresh.differences(from: try SchemaSnapshot(connection)) == [])
    }

    @Test("Required files that were not given are named")
    func missing() throws {
        let set = try Scratch.set("-- lockstep: up\nCREATE TABLE a (x);\n", "-- lockstep: up\n")
        let ledger = try ledger(set)
        Refusal.expect(.migrationMissing) { _ = try build(ledger, []) }
        let short = try Scratch.set("-- lockstep: up\nCREATE TABLE a (x);\n")
        Refusal.expect(.migrationMissing) { _ = try build(ledger, [short]) }
    }

    @Test("A file that no longer runs is reported with its line, and an interruption is obeyed") func failing() throws {
        let ledger = try ledger(try Scratch.set("-- lockstep: up\nCREATE TABLE a (x);\n"))
        let broken = try Scratch.set("-- lockstep: up\nCREATE TABLE a (x);\nCREATE TABEL b;\n")
        let error = #expect(throws: LockstepError.self) { _ = try build(ledger, [broken]) }
        #expect(error?.message.contains("0001_step.sql:3") == true, "\(String(describing: error))")
        Refusal.expect(.interrupted) {
            _ = try ReferenceSchema.build(MigrationHistory(entries: ledger), [broken], ConnectionOptions()) { false }
                .path
        }
    }

    @Test("Hundreds of versions of two sets that alternate")
    func many() throws {
        func set(_ name: String, _ count: Int) throws -> MigrationSet {
            try MigrationSet(
                name: name,
                files: (1...count).map {
                    (name: "\($0)_s.sql", content: "-- lockstep: up\nCREATE TABLE \(name)\($0) (a);\n")
                })
        }
        let (one, two) = (try set("one", 300), try set("two", 300))
        let ledger = (1...300).flatMap { number in
            [one, two].compactMap { set in
                set.files.first { $0.version == MigrationVersion(UInt64(number)) }.map {
                    LedgerEntry(
                        set: set.name, version: $0.version, name: $0.name, checksums: $0.checksums,
                        down: nil, appliedAt: 0, duration: 0, toolVersion: "", position: 0)
                }
            }
        }
        #expect(try build(ledger, [one, two]).count == 600)
    }
}
