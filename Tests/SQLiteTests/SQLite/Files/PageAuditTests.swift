import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Page audit")
struct PageAuditTests {
    private let scratch: DatabaseScratch
    private let pages: Int

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 500)
        pages = try scratch.bytes.count / 4096
    }

    private func audit(key: UInt8 = 1) throws -> PageAuditReport {
        try PageAudit(scratch.path).run(key: scratch.key(key))
    }

    @Test("An undamaged database is clean")
    func clean() throws {
        let audit = try audit()
        #expect(pages > 10)
        #expect(audit.isClean && audit.pages == pages && audit.frames == 0)
    }

    /// The offset in a page of the changed byte: content, initialisation vector, MAC.
    @Test(
        "One changed byte anywhere in a page names that page",
        arguments: [16, 17, 1000, 4015, 4016, 4031, 4032, 4095])
    func oneByte(_ offset: Int) throws {
        for page in [1, 2, 3, pages / 2, pages] {
            try scratch.damage { $0[(page - 1) * 4096 + offset] ^= 0x80 }
            let audit = try audit()
            #expect(audit.damagedPages == [UInt32(page)])
            #expect(!audit.isClean && audit.damagedFrames == [] && audit.strayBytes == 0)
            try scratch.damage { $0[(page - 1) * 4096 + offset] ^= 0x80 }
        }
        #expect(try audit().isClean)
    }

    @Test("Several damaged pages are reported in ascending order")
    func several() throws {
        let damaged = [pages, 5, 2, 9]
        try scratch.damage { bytes in for page in damaged { bytes[(page - 1) * 4096 + 77] ^= 1 } }
        #expect(try audit().damagedPages == damaged.sorted().map { UInt32($0) })
    }

    @Test("Two pages that changed places are both found")
    func swapped() throws {
        try scratch.damage { bytes in
            let second = Array(bytes[4096..<8192])
            bytes.replaceSubrange(4096..<8192, with: bytes[8192..<12288])
            bytes.replaceSubrange(8192..<12288, with: second)
        }
        #expect(try audit().damagedPages == [2, 3])
    }

    @Test("A page of zeros is damage, although SQLCipher treats it as a short read")
    func zeros() throws {
        try scratch.damage {
            $0.replaceSubrange(4096..<8192, with: [UInt8](repeating: 0, count: 4096))
        }
        #expect(try audit().damagedPages == [2])
    }

    @Test("Without its salt no page of a file verifies")
    func salt() throws {
        try scratch.damage { $0.replaceSubrange(0..<16, with: [UInt8](repeating: 0, count: 16)) }
        #expect(try audit().damagedPages == (1...UInt32(pages)).map { $0 })
    }

    @Test("Under another key no page verifies")
    func otherKey() throws {
        #expect(try audit(key: 2).damagedPages.count == pages)
    }

    @Test("Bytes after the last whole page are counted", arguments: [1, 2, 4095])
    func strayBytes(_ count: Int) throws {
        try scratch.damage { $0 += [UInt8](repeating: 0, count: count) }
        let audit = try audit()
        #expect(audit.strayBytes == count && audit.pages == pages && audit.damagedPages == [])
        #expect(!audit.isClean)
        #expect(try scratch.count(scratch.open()) == 500)
    }

    @Test("A cut last page is stray bytes; MACs do not reveal a whole missing page")
    func cut() throws {
        try scratch.damage { $0.removeLast() }
        let partial = try audit()
        #expect(partial.strayBytes == 4095 && partial.pages == pages - 1)
        #expect(partial.damagedPages == [])
        try scratch.damage { $0.removeLast(4095) }
        let whole = try audit()
        #expect(whole.isClean && whole.pages == pages - 1)
    }

    @Test("A page half written by a killed checkpoint is in the log, and not damaged") func killedCheckpoint() throws {
        let connection = try scratch.open()
        try scratch.add(rows: 300, to: connection)
        let log = try Bytes.read(scratch.side("-wal"))
        try connection.checkpoint(.truncate)
        let grown = try scratch.bytes
        #expect(grown.count > (pages + 1) * 4096)
        let killed = try DatabaseScratch()
        try Bytes.write(Array(grown.prefix(pages * 4096 + 2048)), to: killed.path)
        try Bytes.write(log, to: killed.side("-wal"))
        #expect(try PageAudit(killed.path).run(key: killed.key()).isClean)
        // Without the log it is damaged.
        try FileManager.default.removeItem(atPath: killed.side("-wal").string)
        #expect(try PageAudit(killed.path).run(key: killed.key()).strayBytes == 2048)
    }

    @Test("A file of one page is audited like any other")
    func onePage() throws {
        let small = try DatabaseScratch()
        _ = try small.create()
        #expect(try small.bytes.count == 4096)
        #expect(try PageAudit(small.path).run(key: small.key()).isClean)
        try small.damage { $0[2000] ^= 1 }
        #expect(try PageAudit(small.path).run(key: small.key()).damagedPages == [1])
    }

    @Test("Any number of threads finds the same damage", arguments: [1, 2, 3, 16])
    func threads(count: Int) throws {
        let large = try DatabaseScratch()
        do {
            let connection = try large.create()
            try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
            for _ in 0..<15 { try large.add(rows: 2000, to: connection) }
            try connection.checkpoint(.truncate)
        }
        let pages = try large.bytes.count / 4096
        #expect(pages > 3 * PageReader.chunk)
        let hurt = [2, 255, 256, 257, 512, 600, pages]
        try large.damage { for page in hurt { $0[page * 4096 - 60] ^= 1 } }
        var reported: [Int] = []
        let audit = try PageAudit(large.path).run(key: large.key(), threads: count) {
            reported.append($0.done)
            #expect($0.total == pages)
        }
        #expect(audit.damagedPages == hurt.map { UInt32($0) })
        #expect(audit.pages == pages)
        #expect(reported == reported.sorted() && (reported.last ?? 0) <= pages)
        // An error from the progress closure ends the audit.
        #expect(throws: Stop.self) {
            _ = try PageAudit(large.path).run(key: large.key(), threads: count) { _ in throw Stop() }
        }
    }

    @Test("A log of many pages is audited like a short one")
    func longLog() throws {
        let large = try DatabaseScratch()
        let copy = large.folder.file("copy.db")
        do {
            let connection = try large.create()
            try connection.execute("PRAGMA wal_autocheckpoint = 0")
            try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
            for _ in 0..<15 { try large.add(rows: 2000, to: connection) }
            try Bytes.write(Bytes.read(large.path), to: copy)
            try Bytes.write(Bytes.read(large.side("-wal")), to: FilePath(copy.string + "-wal"))
        }
        let audit = try PageAudit(copy).run(key: large.key())
        #expect(audit.isClean && audit.frames > 3 * PageReader.chunk, "\(audit)")
    }

    @Test("A commit that enters the log during the audit is not damage")
    func addedMeanwhile() throws {
        let connection = try scratch.open()
        try scratch.add(rows: 300, to: connection)
        // The next round of the log overwrites this one, whose file keeps its length.
        try connection.checkpoint(.full)
        try scratch.add(rows: 1, to: connection)
        var looks = 0
        let audit = try PageAudit(scratch.path).run(
            key: scratch.key(), threads: 1,
            betweenLooks: {
                looks += 1
                if looks == 1 { try scratch.add(rows: 1, to: connection) }
            })
        #expect(looks == 2)
        #expect(audit.isClean, "\(audit)")
    }

    @Test("A log that restarts during the audit is read again")
    func begunAnewMeanwhile() throws {
        let connection = try scratch.open()
        try scratch.add(rows: 300, to: connection)
        var looks = 0
        let audit = try PageAudit(scratch.path).run(
            key: scratch.key(), threads: 1,
            betweenLooks: {
                looks += 1
                guard looks == 1 else { return }
                try connection.checkpoint(.full)
                try scratch.add(rows: 1, to: connection)
            })
        #expect(looks == 2)
        #expect(audit.isClean && audit.frames < 5, "\(audit)")
    }

    @Test("Files shorter than a page have no pages", arguments: [0, 1, 2, 15, 16, 4095])
    func tiny(_ size: Int) throws {
        try scratch.damage { $0 = Array($0.prefix(size)) }
        let audit = try audit()
        #expect(audit.pages == 0 && audit.strayBytes == size)
    }

    @Test("A missing path, or one that is not a file, is an error")
    func noFile() throws {
        let missing = try #require(throws: LockstepError.self) {
            _ = try PageAudit(scratch.folder.file("nosuch")).run(key: scratch.key())
        }
        #expect(missing.code == .notFound)
        let folder = try #require(throws: LockstepError.self) {
            _ = try PageAudit(scratch.folder.path).run(key: scratch.key())
        }
        #expect(folder.code == .notAFile)
    }

    @Test("An audit concurrent with a writer finds no damage")
    func besideWriter() async throws {
        var options = ConnectionOptions()
        options.synchronous = .normal
        let store = try Store.open(scratch.path, rawKey: scratch.key(), options: StoreOptions(connection: options))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for round in 0..<60 {
                    try await store.write { connection in
                        try connection.execute(
                            "UPDATE item SET body = ? WHERE id % 7 = ?",
                            [UInt8](repeating: UInt8(round), count: 100), round % 7)
                    }
                    if round % 9 == 0 {
                        try await store.write {
                            try $0.execute("DELETE FROM item WHERE id = ?", round + 1)
                        }
                    }
                }
            }
            group.addTask {
                for _ in 0..<10 {
                    let audit = try await JobThread.run {
                        try PageAudit(scratch.path).run(key: scratch.key())
                    }
                    #expect(audit.isClean, "\(audit)")
                }
            }
            try await group.waitForAll()
        }
    }
}
