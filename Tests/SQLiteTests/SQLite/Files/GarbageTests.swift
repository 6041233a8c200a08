import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Opening garbage")
struct GarbageTests {
    private static let sizes = [0, 1, 15, 16, 100, 511, 512, 1023, 1024, 4095, 4096, 4097, 8192]

    @Test("Random bytes of any size give a typed error and stay unchanged", arguments: sizes)
    func random(_ size: Int) throws {
        let scratch = try DatabaseScratch()
        for seed in 1...16 {
            var generator = SplitMix64(state: UInt64(seed * 100_000 + size))
            // The first byte is not "S", the first byte of a plaintext database.
            var garbage = (0..<size).map { _ in UInt8.random(in: 0...255, using: &generator) }
            if size > 0 { garbage[0] |= 0x80 }
            let expected: LockstepError.Code =
                switch size {
                case 0: .emptyDatabase
                case ..<4096: .truncated
                default: .wrongKey
                }
            try expectFailure(scratch, garbage, expected)
        }
    }

    @Test("A file of one byte, which SQLite treats as empty, is not opened and stays") func oneByte() throws {
        let scratch = try DatabaseScratch()
        for byte in [UInt8(0), UInt8(ascii: "S"), 0xFF] {
            try expectFailure(scratch, [byte], .truncated)
        }
    }

    @Test("Repetitions of one byte give a typed error too", arguments: sizes.dropFirst())
    func uniform(_ size: Int) throws {
        let scratch = try DatabaseScratch()
        for byte in [UInt8(0), 0xFF] {
            try expectFailure(
                scratch, [UInt8](repeating: byte, count: size),
                size < 4096 ? .truncated : .wrongKey)
        }
    }

    @Test("Every prefix of a plaintext database is distinguished from an encrypted one")
    func plaintextBeginnings() throws {
        let scratch = try DatabaseScratch()
        for size in [15, 16, 17, 99, 100, 101, 1024, 4095] {
            let head = Array(PlaintextDatabase.bytes.prefix(size))
            try Bytes.write(head, to: scratch.path)
            #expect(try Diagnosis.examine(scratch.path, key: scratch.key()) == .plaintext(isCut: true))
            try expectFailure(scratch, head, .truncated)
        }
    }

    @Test("Every prefix of an encrypted database gives a typed error, or opens") func encryptedBeginnings() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 100)
        let whole = try scratch.bytes
        for size in [16, 17, 512, 1024, 2048, 4095] {
            try expectFailure(scratch, Array(whole.prefix(size)), .truncated)
        }
        // From the first complete page on the key fits, and SQLite finds that pages are missing.
        try Bytes.write(Array(whole.prefix(4096)), to: scratch.path)
        let error = try #require(throws: LockstepError.self) {
            _ = try scratch.count(scratch.open())
        }
        #expect(error.code == .damaged)
    }

    @Test("Invalid sizes in the header do not trap", arguments: [0, 1, 3, 511, 65_535])
    func absurdHeaders(_ pageSize: Int) throws {
        let scratch = try DatabaseScratch()
        var bytes = PlaintextDatabase.bytes
        bytes[16] = UInt8(pageSize >> 8)
        bytes[17] = UInt8(pageSize & 0xFF)
        bytes.replaceSubrange(28..<32, with: [0xFF, 0xFF, 0xFF, 0xFF])
        try Bytes.write(bytes, to: scratch.path)
        let error = try #require(throws: LockstepError.self) { _ = try scratch.open() }
        #expect([.plaintextDatabase, .truncated].contains(error.code))
        #expect(try scratch.bytes == bytes)
    }

    private func expectFailure(
        _ scratch: DatabaseScratch, _ bytes: [UInt8], _ code: LockstepError.Code,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        try Bytes.write(bytes, to: scratch.path)
        let error = try #require(throws: LockstepError.self, sourceLocation: location) {
            _ = try scratch.open()
        }
        #expect(error.code == code, "\(error)", sourceLocation: location)
        #expect(try scratch.bytes == bytes, sourceLocation: location)
        #expect(try scratch.names == ["data.db"], sourceLocation: location)
    }
}
