import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Verification")
struct VerificationTests {
    private let files = [
        (
            name: "0001_a.sql",
            content: """
            -- lockstep: up
            CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id));
            CREATE INDEX child_by_parent ON child (parent);
            """
        ), (name: "0002_b.sql", content: "-- lockstep: up\nALTER TABLE child ADD COLUMN extra TEXT;\n"),
    ]

    private func set() throws -> MigrationSet { try MigrationSet(name: "test", files: files) }

    private func database() throws -> DatabaseScratch {
        let scratch = try DatabaseScratch()
        let connection = try scratch.create()
        _ = try Migrator(set()).run(on: connection)
        for id in 1...300 {
            try connection.execute("INSERT INTO parent VALUES (?, ?)", id, "the name of number \(id)")
            try connection.execute("INSERT INTO child (parent) VALUES (?)", id)
        }
        return scratch
    }

    private func verify(
        _ scratch: DatabaseScratch, _ sets: [MigrationSet]? = nil
    ) throws -> VerificationReport {
        try Verification(scratch.path, sets: sets ?? [set()]).run(key: scratch.key())
    }

    private func failed(_ report: VerificationReport) -> [VerificationReport.Check] {
        report.outcomes.filter(\.hasFailed).map(\.check)
    }

    /// The report about the database, without the linked library, which is the same for each.
    private func messages(_ report: VerificationReport) -> [String] {
        report.outcomes.filter { $0.check != .library }.flatMap(\.findings).map(\.message)
    }

    @Test("A sound database passes every check, and does not change")
    func sound() throws {
        let scratch = try database()
        let before = try scratch.bytes
        let report = try verify(scratch)
        #expect(report.isClean, "\(report)")
        // These need field keys, a manifest, a keyring or --deep.
        let others: Set<VerificationReport.Check> = [.cells, .manifest, .freshness, .keyring, .roundTrip]
        let expected = VerificationReport.Check.allCases.filter { !others.contains($0) }
        #expect(report.outcomes.map(\.check) == expected)
        #expect(try scratch.bytes == before)
    }

    @Test("A new database without migrations passes")
    func new() throws {
        let scratch = try DatabaseScratch()
        _ = try scratch.create().path
        let report = try verify(scratch)
        #expect(report.isClean, "\(report)")
        let notices = messages(report)
        #expect(notices == ["2 versions of test are not applied yet"])
    }

    @Test("A flipped bit on any page is found, and the page named")
    func damage() throws {
        let pages = try database().bytes.count / 4096
        #expect(pages > 5)
        for page in [2, 3, pages] {
            let scratch = try database()
            try scratch.damage { $0[(page - 1) * 4096 + 77] ^= 4 }
            let report = try verify(scratch)
            #expect(failed(report).contains(.pages))
            let messages = report.outcomes.flatMap(\.findings).map(\.message)
            #expect(messages.contains("the MAC fails on page \(page)"), "\(messages)")
        }
    }

    @Test(
        "If the first page is damaged the other checks fail too, and the run continues to the end")
    func firstPage() throws {
        let scratch = try database()
        try scratch.damage { $0[1000] ^= 1 }
        let report = try verify(scratch)
        let passed = report.outcomes.filter { !$0.hasFailed }.map(\.check)
        #expect(passed == [.library, .encryption, .permissions, .sideFiles])
        // All but the page check for the same reason: the database does not open.
        let hindered = report.outcomes.filter { $0.hasFailed && $0.check != .pages }
        #expect(hindered.allSatisfy { $0.obstacle?.code == .damaged })
    }

    @Test("Another program's mark in a migrated database is found")
    func foreignMark() throws {
        let scratch = try database()
        do {
            let other = try RawDatabase(scratch.path, key: RawDatabase.keyspec)
            try other.run("PRAGMA application_id = 77")
        }
        let report = try verify(scratch)
        #expect(failed(report) == [.ledger])
        let messages = messages(report)
        #expect(messages == ["application_id is 77, which is not Lockstep's"])
    }

    @Test("Bytes after the last page are found")
    func strayBytes() throws {
        let scratch = try database()
        try scratch.damage { $0 += [1, 2] }
        #expect(failed(try verify(scratch)) == [.pages])
    }

    @Test("The wrong key is not a finding but an error, as are a plaintext and a missing file") func errors() throws {
        let scratch = try database()
        Refusal.expect(.wrongKey) {
            _ = try Verification(scratch.path, sets: [set()]).run(key: scratch.key(2))
        }
        Refusal.expect(.notFound) {
            _ = try Verification(scratch.folder.file("no"), sets: []).run(key: scratch.key())
        }
        try scratch.folder.write("plain.db", PlaintextDatabase.bytes)
        Refusal.expect(.plaintextDatabase) {
            _ = try Verification(scratch.folder.file("plain.db"), sets: []).run(key: scratch.key())
        }
    }

    @Test("An orphan is found")
    func orphan() throws {
        let scratch = try database()
        let connection = try scratch.open()
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute("INSERT INTO child (parent) VALUES (9999)")
        #expect(failed(try verify(scratch)) == [.foreignKeys])
    }

    @Test("A changed file, a missing file and a missing set are found")
    func ledger() throws {
        let scratch = try database()
        var changed = files
        changed[1].content = "-- lockstep: up\nALTER TABLE child ADD COLUMN other TEXT;\n"
        #expect(
            failed(try verify(scratch, [MigrationSet(name: "test", files: changed)]))
                .contains(.ledger))
        #expect(
            failed(try verify(scratch, [MigrationSet(name: "test", files: [files[0]])]))
                == [.ledger, .drift])
        #expect(failed(try verify(scratch, [])) == [.ledger, .drift])
    }

    @Test("A user_version that does not match the ledger's count is found")
    func userVersion() throws {
        let scratch = try database()
        try scratch.open().setHeaderField("user_version", 9)
        #expect(failed(try verify(scratch)) == [.ledger])
    }

    @Test(
        "Drift is found and named",
        arguments: [
            ("CREATE TABLE extra (x)", "table extra is unexpected"),
            ("DROP INDEX child_by_parent", "index child_by_parent is missing"),
            ("CREATE INDEX more ON parent (name)", "index more is unexpected"),
            ("ALTER TABLE child ADD COLUMN sneaky", "column sneaky"),
            ("ALTER TABLE child DROP COLUMN extra", "column extra: absent"),
            ("ALTER TABLE child RENAME COLUMN extra TO other", "column other"),
            ("CREATE VIEW v AS SELECT 1", "view v is unexpected"),
            (
                "CREATE TRIGGER t AFTER INSERT ON parent BEGIN DELETE FROM child; END",
                "trigger t is unexpected"
            ),
            ("DROP TABLE child", "table child is missing"),
        ])
    func drift(sql: String, message: String) throws {
        let scratch = try database()
        try scratch.open().execute(SQL(verbatim: sql))
        let report = try verify(scratch)
        #expect(failed(report).contains(.drift))
        let findings = report.outcomes.flatMap(\.findings)
        let reported = findings.map(\.message) + findings.flatMap { $0.difference?.details ?? [] }
        #expect(reported.contains { $0.contains(message) }, "\(reported)")
    }

    @Test("A compromised key fails the keyring's check, a cheap or open slot is worth a notice") func keyring() throws {
        let scratch = try DatabaseScratch()
        let secret = [UInt8](repeating: 7, count: 32)
        var keyring = try Keyring.create(.database)
        try keyring.addSlot("cheap", Rings.passphrase("correct horse"), cost: Rings.cheap)
        try keyring.addSlot("variable", .environment(variable: "K", SecretBytes(copying: secret.span)))
        try keyring.remember(in: Connection.create(scratch.path, key: keyring.activeDatabaseKey()))
        let sound = try Verification(scratch.path, sets: []).run(keyring: keyring)
        #expect(sound.isClean, "\(sound)")
        #expect(sound.outcomes.map(\.check).suffix(2) == [.freshness, .keyring])
        #expect(sound.outcomes.last?.findings.count == 2)
        try keyring.addKey(.database, state: .pending)
        try keyring.setState(.database, version: 2, to: .compromised)
        let report = try Verification(scratch.path, sets: []).run(keyring: keyring)
        #expect(failed(report) == [.keyring])
    }
}
