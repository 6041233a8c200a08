import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Content marks")
struct ContentDigestTests {
    private let scratch: DatabaseScratch

    /// More than one batch of 256 pages, and less than two.
    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 10_000)
    }

    private func mark() throws -> [UInt8]? { try scratch.open().contentDigest() }

    @Test("The mark survives opening, reading and closing, and changes with any commit") func changes() throws {
        let first = try #require(try mark())
        #expect(first.count == 32)
        #expect(try mark() == first)
        do {
            let connection = try scratch.open()
            _ = try scratch.count(connection)
            try connection.checkpoint(.truncate)
        }
        #expect(try mark() == first)
        // The same value again: the page is encrypted with a new initialisation vector.
        try scratch.open().execute("UPDATE item SET id = id WHERE id = 9999")
        let second = try mark()
        #expect(second != nil && second != first)
    }

    @Test("Every page counts, and so do bytes after the last one")
    func pages() throws {
        let first = try mark()
        let whole = try scratch.bytes
        let last = whole.count / 4096
        for page in [1, 2, 256, 257, last] {
            try scratch.damage { $0[page * 4096 - 1] ^= 1 }
            #expect(try ContentDigest.of(scratch.path) != first, "page \(page)")
            try Bytes.write(whole, to: scratch.path)
        }
        try Bytes.write(whole + [0], to: scratch.path)
        #expect(try ContentDigest.of(scratch.path) != first)
        try Bytes.write(Array(whole.dropLast(4096)), to: scratch.path)
        #expect(try ContentDigest.of(scratch.path) != first)
        try Bytes.write(whole, to: scratch.path)
        #expect(try ContentDigest.of(scratch.path) == first)
    }

    @Test("While the log has content that the file lacks, there is no mark")
    func log() throws {
        let connection = try scratch.open()
        try scratch.add(rows: 1, to: connection)
        #expect(try ContentDigest.of(scratch.path) == nil)
        #expect(try connection.contentDigest() != nil)
        // A reader of an old snapshot prevents the checkpoint.
        let reader = try scratch.open()
        try reader.read { reader in
            _ = try scratch.count(reader)
            try scratch.add(rows: 1, to: connection)
            try connection.waiting(atMost: .zero) { connection in
                let mark = try connection.contentDigest()
                #expect(mark == nil)
            }
        }
        #expect(try connection.contentDigest() != nil)
    }
}
