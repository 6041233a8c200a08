import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Migration versions")
struct MigrationVersionTests {
    @Test(
        "Versions sort naturally",
        arguments: [
            ("2", "10"), ("0.9", "0.10"), ("1", "1.1"), ("0003", "4"), ("20231231235959", "20240101000000"), ("0", "1"),
        ])
    func order(smaller: String, larger: String) throws {
        let one = try #require(MigrationVersion(smaller))
        let other = try #require(MigrationVersion(larger))
        #expect(one < other)
        #expect(!(other < one))
    }

    @Test("Leading zeros make no difference")
    func zeros() {
        #expect(MigrationVersion("0003") == MigrationVersion("3"))
        #expect(MigrationVersion("0.010")?.description == "0.10")
    }

    @Test("Trailing zero parts make no difference either")
    func trailingZeros() {
        #expect(MigrationVersion("1.0") == MigrationVersion("1"))
        #expect(MigrationVersion("1.0.0")?.description == "1")
        #expect(MigrationVersion("0.0") == MigrationVersion(0))
        #expect(MigrationVersion("10")?.description == "10")
        #expect(MigrationVersion.unversioned < MigrationVersion(0))
    }

    @Test(
        "Invalid versions are refused",
        arguments: [
            "", ".", "1.", ".1", "1..2", "a", "1a", "-1", "+1", " 1", "1_2", "٣",
            "99999999999999999999",
        ])
    func refused(text: String) {
        #expect(MigrationVersion(text) == nil)
    }
}
