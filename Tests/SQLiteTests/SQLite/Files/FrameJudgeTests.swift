import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What salvage finds in a log of 20 orders, one commit each, of which only the header of one frame is damaged: its page
/// and so its row are whole.
@Suite("Frames whose header is wrong are judged by their pages")
struct FrameJudgeTests {
    private let made: LoggedOrders

    init() throws { made = try LoggedOrders() }

    private func orders(_ log: [UInt8]) throws -> Int {
        let path = try made.put(log, hasIndex: false, as: "data.sqlite")
        let new = made.scratch.folder.file("new.sqlite")
        DatabaseScratch.remove(new)
        _ = try Salvage(path, into: new).run(key: made.scratch.key(), newKey: made.scratch.key(2))
        return try Connection.open(new, key: made.scratch.key(2)).value("SELECT count(*) FROM orders", as: Int.self)
            ?? 0
    }

    /// The words of a frame's header, by their offsets.
    private static let words = [0, 4, 8, 12, 16, 20]

    @Test("One bit anywhere in the header of any frame costs no row", arguments: words)
    func bit(word: Int) throws {
        #expect(try orders(made.log.bytes) == LoggedOrders.orders)
        for frame in Array(stride(from: 0, to: made.log.frames - 1, by: 5)) + [made.log.frames - 1] {
            var log = made.log.bytes
            log[made.log.start(of: frame) - 24 + word + frame % 4] ^= 1 << UInt8(frame % 8)
            #expect(try orders(log) == LoggedOrders.orders, "frame \(frame) of \(made.log.frames)")
        }
    }

    @Test("A header that is gone costs no row, if a later frame shows that it belongs to the log")
    func gone() throws {
        for frame in stride(from: 0, to: made.log.frames - 1, by: 7) {
            var log = made.log.bytes
            for offset in 1...24 { log[made.log.start(of: frame) - offset] = 0 }
            #expect(try orders(log) == LoggedOrders.orders, "frame \(frame) of \(made.log.frames)")
        }
    }

    @Test("What is left of an earlier round is no frame of this one") func stale() throws {
        let path = try made.put(made.log.bytes, hasIndex: false, as: "data.sqlite")
        let connection = try Connection.open(path, key: made.scratch.key())
        try connection.checkpoint(.full)
        try connection.execute("INSERT INTO orders (what) VALUES ('new')")
        let log = try LogFile(bytes: Bytes.read(FilePath("\(path)-wal")))
        #expect(log.currentFrames < log.frames)
        let key = try made.scratch.key()
        let authenticator = try PageAuthenticator(.current, key: key.secret, salt: key.salt)
        let found = try LogExamination.run(on: path, authenticator)
        #expect(found.reached.count == log.currentFrames && found.later.isEmpty && !found.hasLoss)
    }
}
