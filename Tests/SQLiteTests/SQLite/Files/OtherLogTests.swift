import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A log beside a file that it is not of: somebody has put an older copy of the database in its place.
@Suite("A log of another state of the file")
struct OtherLogTests {
    private let scratch: DatabaseScratch

    init() throws { scratch = try DatabaseScratch() }

    /// The file after a first and a second fill, and the log of a program that was killed after a third.
    private func states() throws -> (old: [UInt8], new: [UInt8], log: [UInt8]) {
        func fill(_ rows: Int) throws {
            try scratch.add(rows: rows, to: scratch.open())
        }
        try scratch.create().execute("CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB NOT NULL)")
        try fill(300)
        let old = try Bytes.read(scratch.path)
        try fill(300)
        let new = try Bytes.read(scratch.path)
        let connection = try scratch.open()
        try scratch.add(rows: 300, to: connection)
        let log = try Bytes.read(scratch.side("-wal"))
        #expect(old.count < new.count && !log.isEmpty)
        return (old, new, log)
    }

    @Test("It is refused where pages are in neither, and both files stay as they are")
    func refused() throws {
        let (old, new, log) = try states()
        let path = scratch.folder.file("copy.db")
        let side = FilePath("\(path)-wal")
        for isQueryOnly in [false, true] {
            try Bytes.write(old, to: path)
            try Bytes.write(log, to: side)
            var options = ConnectionOptions()
            options.isQueryOnly = isQueryOnly
            let error = Refusal.error(.damaged) { _ = try Connection.open(path, key: scratch.key(), options: options) }
            #expect(error?.message.contains("are in neither") == true)
            #expect(try Bytes.read(path) == old && Bytes.read(side) == log)
        }
        // The control: beside the file that it is of.
        try Bytes.write(new, to: path)
        try Bytes.write(log, to: side)
        #expect(
            try Connection.open(path, key: scratch.key()).value("SELECT count(*) FROM item", as: Int.self) == 900)
    }

    /// Anyone can write how many pages a database has: its checksums need no key.
    @Test("A log that says that there are billions of pages is refused at once")
    func forgedSize() throws {
        let (_, new, log) = try states()
        var forged = LogFile(bytes: log)
        let commit = try #require((0..<forged.currentFrames).last { forged.commits($0) })
        let size = LogFile.header + commit * LogFile.frame + 4
        forged.bytes.replaceSubrange(size..<(size + 4), with: [0xFF, 0xFF, 0xFF, 0xFE])
        forged.reseal(bigEndian: true)
        try Bytes.write(new, to: scratch.path)
        try Bytes.write(forged.bytes, to: scratch.side("-wal"))
        let error = Refusal.error(.damaged) { _ = try Connection.open(scratch.path, key: scratch.key()) }
        #expect(error?.message.contains("are in neither") == true)
        #expect(try Bytes.read(scratch.side("-wal")) == forged.bytes)
    }

    @Test("Under another key it is the key that is refused")
    func wrongKey() throws {
        let (old, _, log) = try states()
        try Bytes.write(old, to: scratch.path)
        try Bytes.write(log, to: scratch.side("-wal"))
        Refusal.expect(.wrongKey) { _ = try Connection.open(scratch.path, key: scratch.key(2)) }
        #expect(try Bytes.read(scratch.path) == old && Bytes.read(scratch.side("-wal")) == log)
    }
}
