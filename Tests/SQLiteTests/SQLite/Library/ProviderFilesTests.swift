import CSQLCipher
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Files written with Lockstep's provider and with the stock one have the same format.
@Suite("Files of both crypto providers")
struct ProviderFilesTests {
    private static let rows = """
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000)
        INSERT INTO film SELECT 'film number ' || i FROM n;
        """

    /// Settings of SQLCipher's versions, and combinations that no version used by itself.
    enum Kind: String, CaseIterable, Sendable {
        case four, three, two, one, sha256, plainHeader

        var pragmas: String {
            switch self {
            case .four: "cipher_compatibility = 4"
            case .three: "cipher_compatibility = 3"
            case .two: "cipher_compatibility = 2"
            case .one: "cipher_compatibility = 1"
            case .sha256:
                "cipher_hmac_algorithm = HMAC_SHA256; "
                    + "PRAGMA cipher_kdf_algorithm = PBKDF2_HMAC_SHA256; PRAGMA cipher_page_size = 8192"
            case .plainHeader: "cipher_plaintext_header_size = 32"
            }
        }

        /// The rows that `cipher_integrity_check` returns for a sound file: without MACs it reports that.
        var complaints: Int { self == .one ? 1 : 0 }

        /// With a plaintext header there is no salt in the file.
        var key: String {
            self == .plainHeader ? "x'" + String(repeating: "01", count: 48) + "'" : RawDatabase.keyspec
        }
    }

    @Test(
        "A file written with Lockstep's provider opens with the stock one",
        arguments: Kind.allCases)
    func oursToStock(_ kind: Kind) async throws {
        let scratch = try DatabaseScratch()
        let ours = try RawDatabase(scratch.path, key: kind.key, kind.pragmas)
        try ours.run("CREATE TABLE film (title TEXT); \(Self.rows)")
        let (path, name) = (scratch.path.string, kind.rawValue)
        await #expect(processExitsWith: .success) {
            [path = path as String, name = name as String] in
            do {
                CryptoProvider.isWanted = false
                let kind = try #require(Kind(rawValue: name))
                let stock = try RawDatabase(FilePath(path), key: kind.key, kind.pragmas)
                #expect(try stock.run("PRAGMA cipher_provider") == ["openssl"])
                #expect(try stock.run("SELECT count(*) FROM film") == ["3000"])
                #expect(try stock.run("PRAGMA cipher_integrity_check").count == kind.complaints)
                #expect(try stock.run("PRAGMA integrity_check") == ["ok"])
                try stock.run("DELETE FROM film WHERE title LIKE '%7'; VACUUM")
            } catch {
                Issue.record(error)
            }
        }
        // And back: Lockstep's provider reads what the other process wrote.
        let again = try RawDatabase(scratch.path, key: kind.key, kind.pragmas)
        #expect(try again.run("SELECT count(*) FROM film") == ["2700"])
        #expect(try again.run("PRAGMA cipher_integrity_check").count == kind.complaints)
        #expect(try again.run("PRAGMA integrity_check") == ["ok"])
    }

    /// `PRAGMA rekey` is the only operation in which a database reads with one key and writes with another.
    @Test("A file whose key is changed in place reads with the new key but not with the old")
    func changingKey() throws {
        let scratch = try DatabaseScratch()
        let (old, new) = (RawDatabase.keyspec, "another")
        let database = try RawDatabase(scratch.path, key: old)
        try database.run("CREATE TABLE film (title TEXT); \(Self.rows) PRAGMA rekey = '\(new)'")
        #expect(try database.run("SELECT count(*) FROM film") == ["3000"])
        #expect(try RawDatabase(scratch.path, key: new).run("SELECT count(*) FROM film") == ["3000"])
        let stale = try RawDatabase(scratch.path, key: old)
        #expect(throws: RawDatabase.Failure.self) { try stale.run("SELECT count(*) FROM film") }
    }

    @Test("Attached databases keep their own keys and settings")
    func attached() throws {
        let scratch = try DatabaseScratch()
        let other = scratch.folder.file("other.db")
        let database = try RawDatabase(scratch.path, key: RawDatabase.keyspec)
        try database.run(
            """
            CREATE TABLE film (title TEXT); \(Self.rows)
            ATTACH '\(other.string)' AS other KEY 'another';
            PRAGMA other.cipher_compatibility = 3;
            CREATE TABLE other.film AS SELECT * FROM main.film;
            """)
        let both = "SELECT count(*) FROM main.film a JOIN other.film b USING (title)"
        #expect(try database.run(both) == ["3000"])
        #expect(try database.run("PRAGMA cipher_integrity_check") == [])
        let alone = try RawDatabase(other, key: "another", "cipher_compatibility = 3")
        #expect(try alone.run("SELECT count(*) FROM film") == ["3000"])
    }

    /// Files from Zetetic's programs; see ../shared/fixtures/INDEX.md.
    @Test(
        "Files of SQLCipher 1 to 4 open with their passphrase",
        .enabled(if: SharedData.has("fixtures/INDEX.md"), "\(SharedData.missing)"),
        arguments: [
            ("zetetic-sqlcipher-1.1.8-testkey.db", 1, 75_709), ("zetetic-sqlcipher-2.0-le-testkey.db", 2, 78_536),
            ("zetetic-sqlcipher-3.0-testkey.db", 3, 78_536), ("zetetic-sqlcipher-4.0-testkey.db", 4, 78_536),
        ])
    func fixtures(_ name: String, _ version: Int, _ rows: Int) throws {
        let scratch = try DatabaseScratch()
        try Bytes.write(Bytes.read(SharedData.path("fixtures/\(name)")), to: scratch.path)
        let database = try RawDatabase(scratch.path, key: "testkey", "cipher_compatibility = \(version)")
        #expect(try database.run("SELECT count(*) FROM t1") == ["\(rows)"])
        #expect(try database.run("PRAGMA integrity_check") == ["ok"])
    }

    @Test("Every page from Lockstep's provider verifies without SQLCipher; vectors never repeat") func pages() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 2000)
        let audit = try PageAudit(scratch.path).run(key: scratch.key())
        #expect(audit.isClean && audit.pages > 50)
        let bytes = try scratch.bytes
        let profile = Profile.current
        let start = profile.pageSize - profile.reserve
        let vectors = stride(from: start, to: bytes.count, by: profile.pageSize)
            .map { Array(bytes[$0..<($0 + Profile.vectorLength)]) }
        #expect(Set(vectors).count == bytes.count / profile.pageSize)
    }

    @Test("Many connections on several threads at once mix neither keys nor pages")
    func threads() async throws {
        let scratches = try (0..<4).map { try DatabaseScratch("\($0).db") }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, scratch) in scratches.enumerated() {
                for thread in 0..<2 {
                    group.addTask {
                        let key = "\(number) and a bit of salt"
                        for round in 0..<15 {
                            let database = try RawDatabase(
                                scratch.path, key: key, "kdf_iter = 10", "cipher_page_size = 1024",
                                "busy_timeout = 60000", "cache_size = 4", "journal_mode = WAL")
                            try database.run(
                                """
                                CREATE TABLE IF NOT EXISTS film (title TEXT, number INTEGER);
                                WITH RECURSIVE n (i) AS
                                    (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100)
                                INSERT INTO film SELECT '\(thread).\(round).' || i, \(number) FROM n;
                                """)
                            let strange = try database.run("SELECT count(*) FROM film WHERE number <> \(number)")
                            #expect(strange == ["0"])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        for (number, scratch) in scratches.enumerated() {
            let database = try RawDatabase(
                scratch.path, key: "\(number) and a bit of salt", "kdf_iter = 10", "cipher_page_size = 1024")
            #expect(try database.run("SELECT count(DISTINCT title) FROM film") == ["3000"])
            #expect(try database.run("PRAGMA cipher_integrity_check") == [])
        }
    }
}
