import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Each test works on a copy of a database and its log, taken while a connection prevents a checkpoint.
@Suite("Write-ahead log")
struct WriteAheadLogTests {
    private let scratch: DatabaseScratch
    private let copy: FilePath

    init() throws {
        scratch = try DatabaseScratch()
        copy = scratch.folder.file("copy.db")
        try scratch.fill(rows: 300)
    }

    private var log: LogFile {
        get throws { LogFile(bytes: try Bytes.read(FilePath(copy.string + "-wal"))) }
    }

    private func putLog(_ log: LogFile) throws {
        try Bytes.write(log.bytes, to: FilePath(copy.string + "-wal"))
    }

    private func takeCopy() throws { try scratch.copy(to: copy) }

    /// 300 rows in the file, 100 and then 20 more in the log.
    private func prepare() throws {
        let connection = try scratch.open()
        try scratch.add(rows: 100, to: connection)
        try scratch.add(rows: 20, to: connection)
        try takeCopy()
    }

    private func audit() throws -> PageAuditReport { try PageAudit(copy).run(key: scratch.key()) }

    private func rows() throws -> Int? {
        try scratch.count(Connection.open(copy, key: scratch.key()))
    }

    @Test("The frames of a log are counted and verify")
    func clean() throws {
        try prepare()
        let audit = try audit()
        #expect(audit.isClean)
        #expect(audit.frames == (try log).frames && audit.frames > 3)
        #expect(try rows() == 420)
    }

    @Test("A damaged page in the log is named, although the log's checksums are right") func damagedFrame() throws {
        try prepare()
        var log = try log
        let frame = log.frames - 1
        log.bytes[log.start(of: frame) + 2000] ^= 0x10
        log.reseal(bigEndian: false)
        try putLog(log)
        let audit = try audit()
        #expect(audit.damagedFrames == [UInt32(log.page(of: frame))])
        #expect(audit.damagedPages == [] && !audit.isClean)
        #expect(audit.frames == log.frames)
        let error = try #require(throws: LockstepError.self) { _ = try rows() }
        #expect(error.code == .damaged)
    }

    @Test("Two damaged frames are named in order, and the other frames and the file are not")
    func twoDamagedFrames() throws {
        try prepare()
        var log = try log
        for frame in [log.frames - 1, 0] { log.bytes[log.start(of: frame) + 4095] ^= 1 }
        log.reseal(bigEndian: false)
        try putLog(log)
        let pages = Set([log.page(of: 0), log.page(of: log.frames - 1)]).sorted()
        #expect(try audit().damagedFrames == pages.map { UInt32($0) })
    }

    @Test("A log with big-endian checksums is equivalent")
    func bigEndian() throws {
        try prepare()
        let before = try audit()
        var log = try log
        log.reseal(bigEndian: true)
        try putLog(log)
        let after = try audit()
        #expect(after.isClean && after.frames == before.frames && after.pages == before.pages)
        #expect(after.uncommittedFrames == before.uncommittedFrames)
        #expect(try rows() == 420)
    }

    @Test("As in SQLite, the log ends before the first frame whose checksum is wrong") func wrongChecksum() throws {
        try prepare()
        var log = try log
        let lastCommit = try #require((0..<(log.frames - 1)).last { log.commits($0) })
        log.bytes[log.start(of: lastCommit + 1) + 9] ^= 1
        try putLog(log)
        let audit = try audit()
        #expect(audit.lostCommits + audit.incompleteCommits == 1)
        #expect(audit.frames == lastCommit + 1)
        #expect(try rows() == 400)
    }

    @Test(
        "A log that is cut within a frame, or within its header, ends before", arguments: [1, 4119])
    func cut(_ bytes: Int) throws {
        try prepare()
        var log = try log
        let lastCommit = try #require((0..<(log.frames - 1)).last { log.commits($0) })
        log.bytes.removeLast(bytes)
        try putLog(log)
        #expect(try audit().frames == lastCommit + 1)
        log.bytes.removeLast(log.bytes.count - 31)
        try putLog(log)
        let audit = try audit()
        #expect(audit.frames == 0 && audit.isClean)
        #expect(try rows() == 300)
    }

    @Test(
        "SQLite ignores a log with an invalid header; its commits are reported",
        arguments: [0, 3, 10, 17, 25])
    func otherHeader(_ offset: Int) throws {
        try prepare()
        var log = try log
        log.bytes[offset] ^= 0x40
        try putLog(log)
        let audit = try audit()
        #expect(audit.frames == 0 && audit.lostCommits == 2 && audit.isLogHeaderDamaged)
        #expect(try Diagnosis.examine(copy, key: scratch.key()) == .keyFits(strayBytes: 0))
    }

    @Test("Frames left over from an earlier round are ignored")
    func stale() throws {
        let connection = try scratch.open()
        try scratch.add(rows: 200, to: connection)
        try connection.execute("PRAGMA wal_checkpoint(RESTART)")
        try scratch.add(rows: 1, to: connection)
        try takeCopy()
        var log = try log
        #expect(log.currentFrames < log.frames)
        for frame in log.currentFrames..<log.frames { log.bytes[log.start(of: frame)] ^= 1 }
        try putLog(log)
        let audit = try audit()
        #expect(audit.isClean && audit.frames == log.currentFrames)
        #expect(try rows() == 501)
    }

    @Test("Frames of an uncommitted transaction are not counted")
    func uncommitted() throws {
        var options = ConnectionOptions()
        options.cacheBytes = 0
        let connection = try scratch.open(options)
        try connection.write { connection in
            try scratch.add(rows: 3000, to: connection)
            try takeCopy()
        }
        #expect(try log.frames > 10, "the cache did not spill")
        let audit = try audit()
        #expect(audit.isClean && audit.frames == 0)
        #expect(try rows() == 300)
    }

    @Test("A damaged page of the file that the log replaces does not count")
    func replacedPage() throws {
        try prepare()
        let log = try log
        let replaced = try #require((0..<log.frames).map { log.page(of: $0) }.first { $0 > 1 })
        var bytes = try Bytes.read(copy)
        bytes[(replaced - 1) * 4096 + 5] ^= 1
        try Bytes.write(bytes, to: copy)
        #expect(try audit().isClean)
        #expect(try rows() == 420)
    }

    @Test("A first page that the log replaces is diagnosed as SQLCipher sees it: it opens")
    func replacedFirstPage() throws {
        do {
            let connection = try scratch.open()
            try connection.execute("CREATE TABLE more (a)")
            try scratch.add(rows: 100, to: connection)
            try takeCopy()
        }
        let log = try log
        #expect((0..<log.frames).contains { log.page(of: $0) == 1 })
        var bytes = try Bytes.read(copy)
        bytes[1000] ^= 1
        try Bytes.write(bytes, to: copy)
        #expect(try audit().isClean)
        #expect(try Diagnosis.examine(copy, key: scratch.key()) == .keyFits(strayBytes: 0))
        #expect(try rows() == 400)
    }

    @Test("The log alone shows that the key fits")
    func logAlone() throws {
        do {
            // An update does not change the first page, because the database does not grow.
            let connection = try scratch.open()
            try connection.execute("UPDATE item SET body = x'00' WHERE id = 1")
            try takeCopy()
        }
        #expect(try log.page(of: 0) != 1)
        var bytes = try Bytes.read(copy)
        for page in 0..<(bytes.count / 4096) { bytes[page * 4096 + 100] ^= 1 }
        try Bytes.write(bytes, to: copy)
        #expect(try Diagnosis.examine(copy, key: scratch.key()) == .firstPageDamaged(saltDestroyed: false))
        #expect(try Diagnosis.examine(copy, key: scratch.key(2)) == .wrongKey)
    }

    @Test("Neither audit nor examination changes the file, its log or the folder")
    func untouched() throws {
        try prepare()
        let names = try scratch.names
        let before = try [Bytes.read(copy), log.bytes]
        _ = try audit()
        _ = try Diagnosis.examine(copy, key: scratch.key())
        #expect(try [Bytes.read(copy), log.bytes] == before)
        #expect(try scratch.names == names)
    }
}
