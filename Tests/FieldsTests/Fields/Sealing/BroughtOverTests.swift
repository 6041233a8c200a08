import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A database whose columns an earlier build sealed to their numbers.
@Suite("Columns of binding version 1")
struct BroughtOverTests {
    private let fixture: BindingOneFixture
    static let columns = ["ssn", "country", "email", "photo"]

    init() throws { fixture = try BindingOneFixture() }

    private func reseal(
        _ connection: borrowing Connection, _ column: String, batch: Int = 1, progress: JobProgress.Handler = { _ in }
    ) throws {
        let keys = try #require(connection.sealed?.allKeys.first)
        try connection.reseal(
            column, of: "person", keys: keys, batch: batch, progress: progress)
    }

    /// The first bytes of a column's cells.
    private func bytes(_ column: String, _ connection: borrowing Connection) throws -> Set<String> {
        Set(
            try connection.texts("SELECT hex(substr(\(column), 1, 1)) FROM person WHERE \(column) IS NOT NULL")
                .compactMap { $0 })
    }

    private func found(
        _ address: String, _ connection: borrowing Connection, under normaliser: Normaliser
    ) throws -> [Int] {
        let match = try connection.matching("email", of: "person", .same(as: .text(address), under: normaliser))
        return try connection.query("SELECT id FROM person_open WHERE \(match)") { row in
            try row[0] as Int
        }
    }

    private func column(
        _ name: String, _ connection: borrowing Connection
    ) throws -> SealedColumn {
        try #require(try connection.sealedColumns.first { $0.name == name })
    }

    @Test("They open, take new values as before, and hold, with a notice that names the remedy") func opens() throws {
        let connection = try fixture.connection()
        #expect(try BindingOneFixture.rows(connection) == BindingOneFixture.rows)
        try connection.execute(
            """
            INSERT INTO person_open (id, name, ssn, country, email)
            VALUES (4, 'Dan', 'x', 'AT', 'dan@example.org')
            """)
        #expect(try bytes("ssn", connection) == ["F9"])
        #expect(try found("ann@example.org", connection, under: .email) == [1])
        #expect(try found("dan@example.org", connection, under: .exact) == [4])
        let report = try fixture.verify()
        #expect(report.failed == [], "\(report.messages)")
        for name in Self.columns {
            #expect(
                report.messages.contains {
                    $0.contains("person.\(name) has the binding version 1")
                })
        }
    }

    @Test("Resealing brings each over, with the key as it is, and nothing else changes") func broughtOver() throws {
        var fields = try fixture.fields()
        do {
            let connection = try fixture.connection()
            let tokens = try connection.texts("SELECT hex(email_exact_token) FROM person")
            for name in Self.columns { try reseal(connection, name) }
            #expect(try BindingOneFixture.rows(connection) == BindingOneFixture.rows)
            #expect(try bytes("ssn", connection) == ["FC"])
            #expect(try bytes("country", connection) == ["FD"])
            // It is short, so that it is sealed in one piece now.
            #expect(try bytes("photo", connection) == ["FC"])
            let identities = try Self.columns.map { try column($0, connection).identity }
            #expect(Set(identities).count == 4 && !identities.contains(nil))
            #expect(try connection.texts("SELECT hex(email_exact_token) FROM person") != tokens)
            #expect(try found("ann@example.org", connection, under: .email) == [1])
            #expect(try found("bob@example.org", connection, under: .exact) == [2])
            // Once more does nothing.
            let before = try connection.texts("SELECT hex(ssn) FROM person")
            try reseal(connection, "ssn")
            #expect(try connection.texts("SELECT hex(ssn) FROM person") == before)
            try fixture.fieldsFile.remember(&fields, sealedIn: connection)
        }
        let report = try fixture.verify()
        #expect(report.failed == [], "\(report.messages)")
        #expect(!report.messages.contains { $0.contains("binding version") })
        let connection = try fixture.connection()
        #expect(try BindingOneFixture.rows(connection) == BindingOneFixture.rows)
    }

    @Test(
        "The registry that the fixture's database had is known by an identity that follows from the database"
    )
    func registry() throws {
        let connection = try fixture.connection()
        let keys = try #require(connection.sealed?.allKeys.first)
        let old = try #require(try RegistryTables.read(keys, connection))
        #expect(old.format == .second)
        try reseal(connection, "ssn")
        let new = try #require(try RegistryTables.read(keys, connection))
        let database = try #require(try connection.databaseID())
        #expect(new.format == .third)
        #expect(try new.identity == RegistryFormat.identity(from: database, keys.dataset))
        #expect(new.columns.map { $0.identity == nil } == [false, true, true, true])
    }

    @Test("A reseal that was interrupted is right at every moment, and goes on", arguments: columns)
    func interrupted(_ name: String) throws {
        let connection = try fixture.connection()
        let reader = try fixture.connection()
        func expectUnchanged(_ one: borrowing Connection) throws {
            // A transaction notices what another connection has changed.
            try one.read { one throws in
                #expect(try BindingOneFixture.rows(one) == BindingOneFixture.rows)
                #expect(try found("ann@example.org", one, under: .exact) == [1])
                #expect(try found("bob@example.org", one, under: .email) == [2])
            }
        }
        #expect(throws: Stop.self) {
            try reseal(connection, name) { _ in
                // After the first row.
                try expectUnchanged(connection)
                try expectUnchanged(reader)
                throw Stop()
            }
        }
        #expect(try column(name, connection).state == .resealing)
        #expect(try fixture.verify().messages.contains { $0.contains("person.\(name) is resealing") })
        Refusal.expect(.misuse) {
            let keys = try #require(connection.sealed?.allKeys.first)
            try connection.unprotect(name, of: "person", keys: keys)
        }
        // New values get cells of the second version, which open beside those of the first.
        try connection.execute(
            """
            INSERT INTO person_open (id, name, ssn, country, email)
            VALUES (4, 'Dan', 'x', 'AT', 'dan@example.org')
            """)
        try reader.read { reader throws in
            #expect(try found("dan@example.org", reader, under: .exact) == [4])
        }
        Refusal.expect(.constraint) {
            try connection.execute("INSERT INTO person_open (id, name, email) VALUES (5, 'Eve', 'bob@example.org')")
        }
        let again = try fixture.connection()
        try reseal(again, name)
        func expectFinished(_ one: borrowing Connection) throws {
            try one.read { one throws in
                #expect(
                    try BindingOneFixture.rows(one)
                        == BindingOneFixture.rows + ["4|x|AT|dan@example.org|"])
                #expect(try found("ann@example.org", one, under: .email) == [1])
                #expect(try found("dan@example.org", one, under: .exact) == [4])
            }
            #expect(try column(name, one).state == .sealed)
        }
        try expectFinished(again)
        try expectFinished(reader)
        try expectFinished(connection)
        #expect(try fixture.verify().failed == [])
    }

    private static let older: SQL = "UPDATE person SET ssn = (SELECT ssn FROM kept WHERE id = 1) WHERE id = 1"

    @Test("An older cell in a column that was brought over, and the reverse, are refused by name")
    func otherVersions() throws {
        let connection = try fixture.connection()
        try connection.execute("CREATE TABLE kept AS SELECT id, ssn, photo FROM person")
        try reseal(connection, "ssn")
        try reseal(connection, "photo")
        // The guard accepts only cells of the column's own version; an operator drops it.
        Refusal.expect(.constraint) { try connection.execute(Self.older) }
        try connection.with(rights: .engine) {
            for case let name? in try connection.texts(
                "SELECT name FROM sqlite_schema WHERE type = 'trigger'")
            {
                try connection.execute("DROP TRIGGER \(name: name)")
            }
        }
        try connection.execute(Self.older)
        let error = try #require(throws: LockstepError.self) {
            _ = try connection.texts("SELECT ssn FROM person_open WHERE id = 1")
        }
        #expect(error.code == .cellForged)
        #expect(error.message.contains("binding version 1"))
        let report = try fixture.verify()
        #expect(report.failed.contains(.cells))
        #expect(report.messages.contains { $0.contains("of another binding version") })
    }

    @Test(
        "A connection that begins no transaction, and so seals as before, writes nothing that no one could read"
    )
    func stale() throws {
        let stale = try fixture.connection()
        #expect(try BindingOneFixture.rows(stale) == BindingOneFixture.rows)
        try reseal(fixture.connection(), "ssn")
        Refusal.expect(.cellForged) {
            try stale.execute("UPDATE person_open SET ssn = 'y' WHERE id = 1")
        }
        try stale.write { stale in
            try stale.execute("UPDATE person_open SET ssn = 'y' WHERE id = 1")
        }
        #expect(try bytes("ssn", stale) == ["FC"])
    }
}
