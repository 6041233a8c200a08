import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Files that the stock sqlcipher shell makes with settings of their own become Lockstep databases.
@Suite(
    "Adopting files with settings of their own",
    .enabled(if: SQLCipherShell.isPresent, SQLCipherShell.missing))
struct AdoptedSettingsTests {
    /// What the shell is given for the key.
    enum Key: CaseIterable {
        case passphrase, rawKey, rawKeyWithSalt

        var text: String {
            switch self {
            case .passphrase: "correct horse"
            case .rawKey: "x'\(String(repeating: "5a", count: 32))'"
            case .rawKeyWithSalt: "x'\(String(repeating: "5a", count: 48))'"
            }
        }

        func adopt(_ adoption: Adoption, _ key: borrowing DatabaseKey) throws -> AdoptionReport {
            let text = Array(text.utf8)
            guard self != .passphrase else {
                return try adoption.run(passphrase: Passphrase(text.span), key: key)
            }
            return try adoption.run(
                rawKey: RawKey(SecretBytes(copying: text.span)), key: key)
        }
    }

    private static let salt = "cipher_salt = \"x'\(String(repeating: "5a", count: 16))'\""

    /// The settings, each with values that differ from the defaults. With pages of 512 bytes, SQLCipher writes files
    /// that it does not read: its own part leaves too little for SQLite.
    private static let settings: [[String]] = [
        [1, 2, 3].map { "cipher_compatibility = \($0)" },
        [1024, 2048, 8192, 16_384, 32_768, 65_536].map { "cipher_page_size = \($0)" },
        ["kdf_iter = 1000", "kdf_iter = 64000"],
        ["cipher_kdf_algorithm = PBKDF2_HMAC_SHA1", "cipher_kdf_algorithm = PBKDF2_HMAC_SHA256"],
        ["cipher_use_hmac = OFF"], ["cipher_hmac_algorithm = HMAC_SHA1", "cipher_hmac_algorithm = HMAC_SHA256"],
        [16, 32, 64, 96].map { "cipher_plaintext_header_size = \($0); \(salt)" }, ["cipher_hmac_pgno = be"],
        ["cipher_hmac_salt_mask = \"x'00'\"", "cipher_hmac_salt_mask = \"x'5c'\""], ["fast_kdf_iter = 7"],
    ]

    private static let rows = """
        CREATE TABLE t (id INTEGER PRIMARY KEY, text, data);
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
        INSERT INTO t (text, data) SELECT 'Grüße ' || i, randomblob(i * 3) FROM n;
        PRAGMA user_version = 12;
        """
    private static let dump = "SELECT id || quote(text) || quote(data) FROM t ORDER BY id"

    private let scratch: CopyScratch

    init() throws { scratch = try CopyScratch() }

    /// Makes the original, and returns its rows.
    private func make(_ settings: [String], _ key: Key, _ script: String = rows) throws -> [String] {
        let pragmas = settings.flatMap { $0.split(separator: ";") }.map { "PRAGMA \($0);" }
        let lines = try SQLCipherShell.run(
            pragmas.joined(separator: "\n") + script + Self.dump + ";", on: scratch.old.path, keyText: key.text)
        // SQLCipher calls some settings deprecated in a row of their own.
        return lines.filter { !$0.contains("is deprecated") }
    }

    /// Adopts the original and compares every row.
    @discardableResult
    private func adopt(
        _ settings: String?, _ key: Key, rows: [String], sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> AdoptionReport {
        let before = try CopyScratch.content(of: scratch.old)
        var adoption = Adoption(of: scratch.old.path, into: scratch.new.path)
        adoption.settings = try settings.map(SQLCipherSettings.init)
        let report = try key.adopt(adoption, scratch.new.key())
        #expect(try CopyScratch.content(of: scratch.old) == before, sourceLocation: sourceLocation)
        try scratch.expectSound(report.copy, sourceLocation: sourceLocation)
        let copied = try RawDatabase(scratch.new.path, key: RawDatabase.keyspec)
        #expect(rows.count == 300, sourceLocation: sourceLocation)
        #expect(try copied.run(Self.dump) == rows, sourceLocation: sourceLocation)
        #expect(try copied.run("PRAGMA user_version") == ["12"], sourceLocation: sourceLocation)
        return report
    }

    private func refusal(
        _ code: LockstepError.Code, _ settings: String?, _ key: Key, sourceLocation: SourceLocation = #_sourceLocation
    ) throws -> LockstepError? {
        let before = try CopyScratch.content(of: scratch.old)
        var adoption = Adoption(of: scratch.old.path, into: scratch.new.path)
        adoption.settings = try settings.map(SQLCipherSettings.init)
        let error = Refusal.error(code, sourceLocation: sourceLocation) {
            _ = try key.adopt(adoption, scratch.new.key())
        }
        #expect(try CopyScratch.content(of: scratch.old) == before, sourceLocation: sourceLocation)
        #expect(try scratch.new.names == [], sourceLocation: sourceLocation)
        return error
    }

    @Test("Each setting alone, under a passphrase", arguments: settings.flatMap(\.self))
    func single(_ setting: String) throws {
        try adopt(setting, .passphrase, rows: make([setting], .passphrase))
    }

    @Test("Each setting alone is found under a raw key", arguments: settings.flatMap(\.self))
    func found(_ setting: String) throws {
        let rows = try make([setting], .rawKeyWithSalt)
        guard !setting.hasPrefix("fast_kdf_iter"), !setting.contains("5c") else {
            // Nobody changes these without need.
            #expect(try refusal(.wrongKey, nil, .rawKeyWithSalt) != nil)
            return
        }
        let report = try adopt(nil, .rawKeyWithSalt, rows: rows)
        let isPlain = setting.hasPrefix("cipher_compat") || setting.hasPrefix("kdf_iter")
        #expect((report.settings == nil) == isPlain, "\(report.settings ?? "none")")
    }

    @Test("30 pairs of settings, under each kind of key")
    func pairs() throws {
        print("LOCKSTEP_TEST_SEED=\(Torture.campaignSeed)")
        var random = SplitMix64(state: Torture.campaignSeed)
        for number in 0..<30 {
            let chosen = Self.settings.indices.shuffled(using: &random).prefix(2)
            let pair = chosen.map { Self.settings[$0].randomElement(using: &random) ?? "" }
            let key = Key.allCases[number % 3]
            let one = try AdoptedSettingsTests()
            do {
                try one.adopt(pair.joined(separator: "; "), key, rows: one.make(pair, key))
            } catch {
                Issue.record("\(pair) under \(key): \(error)")
            }
        }
    }

    @Test("What programs usually change is found under a passphrase")
    func usual() throws {
        for setting in [
            "cipher_page_size = 1024", "cipher_use_hmac = OFF", "cipher_compatibility = 3; cipher_page_size = 4096",
            "cipher_compatibility = 2; cipher_hmac_pgno = be",
        ] {
            let one = try AdoptedSettingsTests()
            let report = try one.adopt(nil, .passphrase, rows: one.make([setting], .passphrase))
            let settings = try #require(report.settings)
            let other = try AdoptedSettingsTests()
            _ = try other.make([setting], .passphrase)
            // What the report says opens the file.
            #expect(try SQLCipherSettings(settings).profile != .current)
        }
    }

    @Test(
        "A wrong setting is named with the right value",
        arguments: [
            ("cipher_page_size = 1024", "cipher_page_size = 2048", "cipher_page_size is 1024, not 2048"),
            ("cipher_use_hmac = OFF", "cipher_page_size = 4096", "cipher_use_hmac is OFF, not ON"),
            ("cipher_compatibility = 4", "cipher_compatibility = 3", "kdf_iter is 256000, not 64000"),
            (
                "cipher_hmac_algorithm = HMAC_SHA256", "cipher_hmac_algorithm = HMAC_SHA1",
                "cipher_hmac_algorithm is HMAC_SHA256, not HMAC_SHA1"
            ), ("kdf_iter = 1000; cipher_page_size = 8192", "kdf_iter = 1000", "cipher_page_size is 8192, not 4096"),
        ])
    func wrong(_ real: String, _ given: String, _ message: String) throws {
        let rows = try make([real], .passphrase)
        let error = try refusal(.otherSettings, given, .passphrase)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        if real.hasSuffix("= 4") {
            #expect(error?.hint == "leave the settings out")
        } else {
            let hint = try #require(error?.hint?.split(separator: " with ").last)
            try adopt(String(hint), .passphrase, rows: rows)
        }
    }

    @Test("A wrong number of rounds, and a wrong passphrase, cannot be distinguished") func wrongKey() throws {
        _ = try make(["kdf_iter = 1000"], .passphrase)
        for settings in [nil, "kdf_iter = 2000", "cipher_page_size = 1024"] {
            let error = try refusal(.wrongKey, settings, .passphrase)
            #expect(error?.hint?.contains("kdf_iter") == true)
        }
        let error = try refusal(.wrongKey, "kdf_iter = 1000", .rawKey)
        #expect(error?.hint?.contains("kdf_iter") == false)
    }

    @Test("A plaintext header is no plaintext database, and needs its salt")
    func plaintextHeader() throws {
        for size in [16, 32, 96, 1024] {
            let one = try AdoptedSettingsTests()
            let header = "cipher_plaintext_header_size = \(size)"
            let rows = try one.make([header, Self.salt], .rawKey)
            #expect(try Diagnosis.examinePlaintext(one.scratch.old.path) == .plaintextHeader)
            let error = try one.refusal(.otherSettings, nil, .rawKey)
            #expect(error?.hint?.contains("cipher_salt") == true)
            _ = try one.refusal(.otherSettings, header, .rawKey)
            try one.scratch.expectRefusal(.otherSettings)
            if size < 128 {
                // The size is found, the salt is not.
                try one.adopt(Self.salt + "; cipher_plaintext_header_size = \(size)", .rawKey, rows: rows)
            } else {
                try one.adopt(header + ";" + Self.salt, .rawKey, rows: rows)
            }
        }
    }

    @Test("A salt mask leaves other connections of the process alone, and a log is not passed over")
    func saltMask() throws {
        let mask = "cipher_hmac_salt_mask = \"x'00'\""
        let rows = try make([mask], .rawKey)
        let other = try DatabaseScratch()
        try other.fill(rows: 3)
        try adopt(mask, .rawKey, rows: rows)
        #expect(try other.count(other.open()) == 3)
        let fresh = try DatabaseScratch()
        try fresh.fill(rows: 3)
        #expect(try PageAudit(fresh.path).run(key: fresh.key()).isClean)
        try Bytes.write([1, 2, 3], to: scratch.old.side("-wal"))
        try Bytes.write([1, 2, 3], to: scratch.old.side("-journal"))
        let again = try CopyScratch()
        var adoption = Adoption(of: scratch.old.path, into: again.new.path)
        adoption.settings = try SQLCipherSettings(mask)
        Refusal.expect(.readOnly) { _ = try Key.rawKey.adopt(adoption, again.new.key()) }
        #expect(try again.new.names == [])
    }

    @Test("A damaged page under another salt mask is named")
    func damagedUnderMask() throws {
        let mask = "cipher_hmac_salt_mask = \"x'5c'\""
        _ = try make([mask], .rawKey)
        try scratch.old.damage { $0[4096 * 2 + 100] ^= 1 }
        let error = try refusal(.damaged, mask, .rawKey)
        #expect(error?.message.hasSuffix("the MAC of page 3 fails") == true)
    }

    @Test("A damaged or cut file with a plaintext header is refused as damaged") func damagedHeader() throws {
        let header = "cipher_plaintext_header_size = 32; \(Self.salt)"
        _ = try make([header], .rawKey)
        try scratch.old.damage { $0[200] ^= 1 }
        _ = try refusal(.damaged, header, .rawKey)
    }

    @Test("Rows that are only in the log are adopted")
    func log() throws {
        let living = try DatabaseScratch("old.db")
        let key = "x'\(String(repeating: "5a", count: 32))'"
        let writer = try RawDatabase(
            living.path, key: key, "cipher_page_size = 1024", "cipher_hmac_algorithm = HMAC_SHA256",
            "journal_mode = WAL")
        try writer.run(Self.rows)
        let rows = try writer.run(Self.dump)
        try living.copy(to: scratch.old.path)
        try adopt(nil, .rawKey, rows: rows)
    }

    @Test("A damaged file with settings of its own is salvaged")
    func salvage() throws {
        for settings in [
            "cipher_page_size = 1024", "cipher_plaintext_header_size = 32; \(Self.salt)",
            "cipher_use_hmac = OFF", "cipher_hmac_pgno = be",
        ] {
            let one = try AdoptedSettingsTests()
            _ = try one.make([settings], .rawKey)
            try one.scratch.old.damage { bytes in
                for index in 0..<16 { bytes[bytes.count - 300 + index] ^= 0x5A }
            }
            var salvage = Salvage(one.scratch.old.path, into: one.scratch.new.path)
            salvage.settings = try SQLCipherSettings(settings)
            let text = Array(Key.rawKey.text.utf8)
            let report = try salvage.run(rawKey: RawKey(SecretBytes(copying: text.span)), newKey: one.scratch.new.key())
            #expect(report.rows > 200 && report.rows < 300 || settings.contains("OFF"), "\(settings)")
            #expect(report.rows > 200)
        }
    }

    @Test("Auto-vacuum, user version and page size are kept, or reported")
    func header() throws {
        for mode in ["FULL", "INCREMENTAL"] {
            let one = try AdoptedSettingsTests()
            let rows = try one.make(
                ["cipher_page_size = 8192"], .rawKey,
                "PRAGMA auto_vacuum = \(mode); PRAGMA application_id = 77;" + Self.rows)
            let report = try one.adopt(nil, .rawKey, rows: rows)
            #expect(report.pageSize == 8192 && report.hasOtherPageSize)
            #expect(report.applicationID == 77 && report.isOfAnotherProgram)
            let kept = try one.scratch.new.open().headerField("auto_vacuum")
            #expect(kept == (mode == "FULL" ? 1 : 2))
        }
    }
}
