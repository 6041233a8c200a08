import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Files that other programs wrote become Lockstep databases; see ../shared/fixtures/INDEX.md.
@Suite("Adopting files of other programs", .enabled(if: SharedData.has("fixtures/INDEX.md"), "\(SharedData.missing)"))
struct AdoptedFixtureTests {
    /// A file, its passphrase, and its content.
    struct Fixture: Sendable, CustomTestStringConvertible {
        let name: String
        let passphrase: String?
        let rows: [ExactText: Int]
        /// Queries to the new database, with their answers.
        let sample: String
        let answer: String

        var testDescription: String { name }

        private static let kinds =
            "SELECT group_concat(k || ':' || n) FROM (SELECT typeof(a) AS k, count(*) AS n FROM t1 "
            + "GROUP BY 1 ORDER BY 1)"

        static let all = [
            Fixture(
                name: "zetetic-sqlcipher-4.0-testkey.db", passphrase: "testkey",
                rows: ["t1": 78_536], sample: kinds, answer: "integer:39268,text:39268"),
            Fixture(
                name: "zetetic-sqlcipher-3.0-testkey.db", passphrase: "testkey",
                rows: ["t1": 78_536], sample: kinds, answer: "integer:39268,text:39268"),
            Fixture(
                name: "zetetic-sqlcipher-2.0-le-testkey.db", passphrase: "testkey",
                rows: ["t1": 78_536], sample: kinds, answer: "integer:39268,text:39268"),
            Fixture(
                name: "zetetic-sqlcipher-1.1.8-testkey.db", passphrase: "testkey",
                rows: ["t1": 75_709], sample: "SELECT '' || count(*) FROM t1", answer: "75709"),
            Fixture(
                name: "grdb-db.SQLCipher3", passphrase: "secret", rows: ["t": 1],
                sample: "SELECT a FROM t", answer: "success"),
            Fixture(
                name: "sqliteswift-encrypted-3.x.sqlite", passphrase: "sqlcipher-test",
                rows: ["foo": 1], sample: "SELECT bar FROM foo", answer: "world"),
            Fixture(
                name: "sqliteswift-encrypted-4.x.sqlite", passphrase: "sqlcipher-test",
                rows: ["foo": 1], sample: "SELECT bar FROM foo", answer: "world"),
            Fixture(
                name: "android-sqlite-plaintext.db", passphrase: nil, rows: ["t1": 1],
                sample: "SELECT group_concat(a || b) FROM t1", answer: "12"),
        ]
    }

    private let scratch: CopyScratch

    init() throws { scratch = try CopyScratch() }

    private func copy(_ name: String) throws {
        try Bytes.write(Bytes.read(SharedData.path("fixtures/\(name)")), to: scratch.old.path)
    }

    private func adopt(passphrase: String?) throws -> AdoptionReport {
        guard let passphrase else { return try scratch.adopt() }
        return try Adoption(of: scratch.old.path, into: scratch.new.path).run(
            passphrase: Passphrase(Array(passphrase.utf8).span), key: scratch.new.key())
    }

    private func expectRefusal(
        _ code: LockstepError.Code, passphrase: String?, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let before = try CopyScratch.content(of: scratch.old)
        Refusal.expect(code, sourceLocation: sourceLocation) {
            _ = try adopt(passphrase: passphrase)
        }
        #expect(
            try CopyScratch.content(of: scratch.old) == before, sourceLocation: sourceLocation)
        #expect(try scratch.new.names == [], sourceLocation: sourceLocation)
    }

    @Test(
        "Each is adopted with all of its rows and remains unchanged", arguments: Fixture.all)
    func adopting(_ fixture: Fixture) throws {
        try copy(fixture.name)
        let before = try CopyScratch.content(of: scratch.old)
        let report = try adopt(passphrase: fixture.passphrase)
        #expect(try CopyScratch.content(of: scratch.old) == before)
        #expect(report.copy.rows == fixture.rows && report.brokenForeignKeys == 0)
        try scratch.expectSound(report.copy)
        let connection = try scratch.new.open()
        let answer: String? = try connection.value(SQL(verbatim: fixture.sample))
        #expect(answer == fixture.answer)
    }

    @Test(
        "Another passphrase is the wrong key, and no file is created",
        arguments: [
            "zetetic-sqlcipher-4.0-testkey.db", "zetetic-sqlcipher-1.1.8-testkey.db",
        ])
    func wrongPassphrase(_ name: String) throws {
        try copy(name)
        try expectRefusal(.wrongKey, passphrase: "Testkey")
    }

    @Test("A file that is cut off or not a SQLCipher database is refused with the right error") func foreign() throws {
        try copy("mc-persons-aegis-testkey.db3")
        try expectRefusal(.otherProduct, passphrase: "testkey")
        try expectRefusal(.otherProduct, passphrase: nil)
        try copy("android-tests-corrupt.db")
        try expectRefusal(.truncated, passphrase: nil)
        try expectRefusal(.truncated, passphrase: "testkey")
        try copy("android-sqlite-plaintext.db")
        try expectRefusal(.plaintextDatabase, passphrase: "testkey")
        try copy("zetetic-sqlcipher-4.0-testkey.db")
        try expectRefusal(.wrongKey, passphrase: nil)
    }

    @Test(
        "A file that is damaged anywhere is refused entirely",
        arguments: [[5120, 12_208, 16_320], [1000], [200 * 4096 + 77]])
    func damaged(_ offsets: [Int]) throws {
        try copy("zetetic-sqlcipher-4.0-testkey.db")
        try scratch.old.damage { bytes in
            for offset in offsets { bytes.replaceSubrange(offset..<(offset + 3), with: [0, 0, 0]) }
        }
        try expectRefusal(.damaged, passphrase: "testkey")
    }
}
