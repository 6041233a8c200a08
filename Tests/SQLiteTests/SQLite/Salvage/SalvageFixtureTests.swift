import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The damage that ../shared/fixtures/INDEX.md describes, to a file from SQLCipher's makers.
@Suite(
    "Salvage: files from other programs",
    .enabled(if: SharedData.has("fixtures/zetetic-sqlcipher-4.0-testkey.db"), "\(SharedData.missing)"))
struct SalvageFixtureTests {
    private let scratch: DatabaseScratch
    private let target: FilePath

    init() throws {
        scratch = try DatabaseScratch()
        target = scratch.folder.file("new.db")
        let name = "zetetic-sqlcipher-4.0-testkey.db"
        try Bytes.write(Bytes.read(SharedData.path("fixtures/\(name)")), to: scratch.path)
    }

    private func salvage(_ passphrase: String = "testkey") throws -> SalvageReport {
        let before = try scratch.bytes
        let report = try Salvage(scratch.path, into: target).run(
            passphrase: Passphrase(Array(passphrase.utf8).span), newKey: scratch.key())
        #expect(try scratch.bytes == before)
        #expect(try scratch.names == ["data.db", "new.db"])
        #expect(try PageAudit(target).run(key: scratch.key()).isClean)
        return report
    }

    private struct Row: Equatable {
        let id: Int
        let a: Value
        let b: Value
    }

    private func rows(_ connection: borrowing Connection) throws -> [Row] {
        try connection.query("SELECT rowid, a, b FROM t1 ORDER BY rowid") { row in
            Row(id: try row[0], a: try row[1], b: try row[2])
        }
    }

    /// The rows as SQLCipher itself reads them from the undamaged file.
    private func original() throws -> [Row] {
        let salt = Array(try scratch.bytes.prefix(16))
        let passphrase = try Passphrase(Array("testkey".utf8).span)
        let secret = try Profile.current.key(from: passphrase, salt: salt)
        let key = try DatabaseKey(secret: secret, salt: salt)
        let folder = try TemporaryFolder()
        let copy = try folder.write("copy.db", scratch.bytes)
        return try rows(Connection.open(copy, key: key))
    }

    private func salvaged() throws -> [Row] {
        try rows(Connection.open(target, key: scratch.key()))
    }

    @Test("Undamaged, and with two bytes after it, everything is recovered", arguments: [0, 2])
    func whole(_ stray: Int) throws {
        let rows = try original()
        try scratch.damage { $0 += [UInt8](repeating: 0, count: stray) }
        let report = try salvage()
        #expect(report.isComplete && report.rows == 78_536 && report.strayBytes == stray)
        #expect(report.pages == 239)
        #expect(try salvaged() == rows)
    }

    @Test("Three bytes in pages 2, 3 and 4 cost the rows of the leaves among them") func threePages() throws {
        let rows = try original()
        try scratch.damage { bytes in
            for offset in [5120, 12_208, 16_320] {
                bytes.replaceSubrange(offset..<(offset + 3), with: [0, 0, 0])
            }
        }
        let report = try salvage()
        #expect(report.damagedPages == [2, 3, 4])
        let table = try report.table("t1")
        #expect(table.unreadablePages == 3 && !table.isComplete, "\(report)")
        #expect(report.unplacedDamagedPages == [] && report.unattributedPages == [])
        #expect(report.lostAndFound == nil)
        let back = try salvaged()
        #expect(back.count == table.rows)
        let byID = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0) })
        #expect(back.allSatisfy { byID[$0.id] == $0 })
        // Leaves contain adjacent rows: at most two pages' worth is missing.
        let kept = Set(back.map(\.id))
        let missing = rows.map(\.id).filter { !kept.contains($0) }
        let runs = missing.indices.count { $0 == 0 || missing[$0] != missing[$0 - 1] + 1 }
        #expect(runs <= 2 && missing.count > 200 && missing.count < 1000, "\(missing.count)")
    }

    @Test("Three bytes in page 1 cost nothing, although SQLCipher reports a wrong key") func firstPage() throws {
        let rows = try original()
        try scratch.damage { $0.replaceSubrange(1000..<1003, with: [0, 0, 0]) }
        let report = try salvage()
        #expect(report.damagedPages == [1] && report.isSchemaUnverified && !report.isComplete)
        #expect(try report.table("t1").isComplete)
        #expect(try salvaged() == rows)
    }

    @Test("Another passphrase is the wrong key")
    func refused() throws {
        #expect(try Refusal.code { _ = try salvage("Testkey") } == .wrongKey)
        #expect(try scratch.names == ["data.db"])
    }

    /// Pages have 1024 bytes there.
    @Test(
        "Files of older versions, whole and with a damaged page",
        arguments: ["3.0", "2.0-le", "1.1.8"], [false, true])
    func older(_ version: String, _ isDamaged: Bool) throws {
        let name = "zetetic-sqlcipher-\(version)-testkey.db"
        try Bytes.write(Bytes.read(SharedData.path("fixtures/\(name)")), to: scratch.path)
        if isDamaged {
            try scratch.damage {
                $0.replaceSubrange(5120..<6144, with: repeatElement(7, count: 1024))
            }
        }
        let report = try salvage()
        let all = version == "1.1.8" ? 75_709 : 78_536
        let table = try report.table("t1")
        #expect(isDamaged ? table.rows > all - 200 && table.rows < all : table.rows == all)
        #expect(report.isComplete != isDamaged && table.isComplete != isDamaged, "\(report)")
    }
}
