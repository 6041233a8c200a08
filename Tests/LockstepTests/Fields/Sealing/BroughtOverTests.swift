import TestSupport
import Testing

@testable import Lockstep

/// A database whose columns an earlier build sealed to their numbers.
@Suite("Columns of binding version 1")
struct BroughtOverTests {
    private let fixture: BindingOneFixture

    init() throws { fixture = try BindingOneFixture() }

    @Test("They open, hold and take new values as before")
    func opens() throws {
        let connection = try fixture.connection()
        #expect(try BindingOneFixture.rows(connection) == BindingOneFixture.rows)
        try connection.execute(
            "INSERT INTO person_open (id, name, ssn, country, email) VALUES (4, 'Dan', 'x', 'AT', 'dan@example.org')"
        )
        for address in ["ann@example.org", "dan@example.org"] {
            let match = try connection.matching("email", of: "person", .equal(.text(address)))
            let found = try connection.value(
                "SELECT count(*) FROM person_open WHERE \(match)", as: Int.self)
            #expect(found == 1)
        }
        let report = try fixture.verify()
        #expect(report.failed == [], "\(report.messages)")
    }
}
