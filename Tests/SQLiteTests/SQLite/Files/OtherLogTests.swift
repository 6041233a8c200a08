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
}
