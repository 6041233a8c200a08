import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Database files from other programs; see ../shared/fixtures/INDEX.md.
@Suite("Files from other programs")
struct FixtureTests {
    /// A file, the passphrase it was made with, and its kind.
    struct Fixture: Sendable, CustomTestStringConvertible {
        let name: String
        var passphrase = "testkey"
        let diagnosis: Diagnosis

        var testDescription: String { name }

        static let all = [
            Fixture(name: "zetetic-sqlcipher-4.0-testkey.db", diagnosis: .keyFits(strayBytes: 0)),
            Fixture(name: "zetetic-sqlcipher-3.0-testkey.db", diagnosis: .olderSQLCipher(version: 3)),
            Fixture(
                name: "zetetic-sqlcipher-2.0-le-testkey.db",
                diagnosis: .olderSQLCipher(version: 2)),
            Fixture(name: "zetetic-sqlcipher-1.1.8-testkey.db", diagnosis: .olderSQLCipher(version: 1)),
            Fixture(name: "grdb-db.SQLCipher3", passphrase: "secret", diagnosis: .olderSQLCipher(version: 3)),
            Fixture(
                name: "sqliteswift-encrypted-3.x.sqlite", passphrase: "sqlcipher-test",
                diagnosis: .olderSQLCipher(version: 3)),
            Fixture(
                name: "sqliteswift-encrypted-4.x.sqlite", passphrase: "sqlcipher-test",
                diagnosis: .keyFits(strayBytes: 0)),
            Fixture(name: "android-sqlite-plaintext.db", diagnosis: .plaintext(isCut: false)),
            Fixture(name: "android-tests-corrupt.db", diagnosis: .plaintext(isCut: true)),
            Fixture(name: "mc-persons-aegis-testkey.db3", diagnosis: .otherProduct),
        ]
    }

    private static let zetetic = "zetetic-sqlcipher-4.0-testkey.db"

    private let scratch: DatabaseScratch

    init() throws { scratch = try DatabaseScratch() }

    /// Puts a copy of a fixture into the scratch folder.
    private func copy(_ name: String) throws -> [UInt8] {
        let bytes = try Bytes.read(SharedData.path("fixtures/\(name)"))
        try Bytes.write(bytes, to: scratch.path)
        return bytes
    }

    private func passphrase(_ text: String) throws -> Passphrase {
        try Passphrase(Array(text.utf8).span)
    }

    /// The key that a passphrase derives in a file of SQLCipher 4.
    private func key(_ text: String, for bytes: [UInt8]) throws -> DatabaseKey {
        let salt = Array(bytes.prefix(16))
        let secret = try Profile.current.key(from: passphrase(text), salt: salt)
        return try DatabaseKey(secret: secret, salt: salt)
    }

    @Test(
        "Each file is diagnosed correctly and left unchanged",
        .enabled(if: SharedData.has("fixtures/INDEX.md"), "\(SharedData.missing)"),
        arguments: Fixture.all)
    func diagnosis(_ fixture: Fixture) throws {
        let before = try copy(fixture.name)
        let diagnosis = try Diagnosis.examine(scratch.path, passphrase: passphrase(fixture.passphrase))
        #expect(diagnosis == fixture.diagnosis)
        #expect(try scratch.bytes == before)
        #expect(try scratch.names == ["data.db"])
    }

    @Test(
        "Another passphrase is the wrong key, for every version that has a MAC",
        .enabled(if: SharedData.has("fixtures/INDEX.md"), "\(SharedData.missing)"),
        arguments: [zetetic, "zetetic-sqlcipher-3.0-testkey.db"])
    func wrongPassphrase(_ name: String) throws {
        let before = try copy(name)
        let diagnosis = try Diagnosis.examine(scratch.path, passphrase: passphrase("Testkey"))
        #expect(diagnosis == .wrongKey)
        #expect(try scratch.bytes == before)
    }

    @Test(
        "SQLCipher 4's own file opens with the derived key, and every page verifies",
        .enabled(if: SharedData.has("fixtures/\(zetetic)"), "\(SharedData.missing)"))
    func opens() throws {
        let key = try key("testkey", for: copy(Self.zetetic))
        let audit = try PageAudit(scratch.path).run(key: key)
        #expect(audit.isClean && audit.pages == 239 && audit.frames == 0)
        let connection = try Connection.open(scratch.path, key: key)
        let counts = try connection.query(
            "SELECT a, b, count(*) FROM t1 GROUP BY a, b ORDER BY count(*), 1"
        ) { row in try row[2] as Int }
        #expect(counts.reduce(0, +) == 78_536)
    }

    /// The four kinds of damage that INDEX.md describes.
    @Test(
        "Damage at known places names exactly those pages",
        .enabled(if: SharedData.has("fixtures/\(zetetic)"), "\(SharedData.missing)"))
    func damage() throws {
        let whole = try copy(Self.zetetic)
        let key = try key("testkey", for: whole)
        try scratch.damage { bytes in
            for offset in [5120, 12_208, 16_320] {
                bytes.replaceSubrange(offset..<(offset + 3), with: [0, 0, 0])
            }
        }
        #expect(try PageAudit(scratch.path).run(key: key).damagedPages == [2, 3, 4])
        #expect(try Diagnosis.examine(scratch.path, key: key) == .keyFits(strayBytes: 0))

        try Bytes.write(whole, to: scratch.path)
        try scratch.damage { $0.replaceSubrange(1000..<1003, with: [0, 0, 0]) }
        #expect(try PageAudit(scratch.path).run(key: key).damagedPages == [1])
        #expect(try Diagnosis.examine(scratch.path, key: key) == .firstPageDamaged(saltDestroyed: false))
        let error = try #require(throws: LockstepError.self) {
            _ = try Connection.open(scratch.path, key: key)
        }
        #expect(error.code == .damaged)

        try Bytes.write(whole + [0, 0], to: scratch.path)
        let audit = try PageAudit(scratch.path).run(key: key)
        #expect(audit.damagedPages == [] && audit.pages == 239 && audit.strayBytes == 2)
        #expect(try Diagnosis.examine(scratch.path, key: key) == .keyFits(strayBytes: 2))
        let rows: Int? = try Connection.open(scratch.path, key: key).value("SELECT count(*) FROM t1")
        #expect(rows == 78_536)
    }
}
