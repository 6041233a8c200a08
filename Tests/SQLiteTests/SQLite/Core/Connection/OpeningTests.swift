import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Opening a database")
struct OpeningTests {
    @Test("Written rows are there after reopening with the key")
    func reopening() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 500)
        #expect(try scratch.names == ["data.db"])
        let connection = try scratch.open()
        #expect(try scratch.count(connection) == 500)
        #expect(try connection.headerField("application_id") == Connection.applicationID)
    }

    @Test("A key with another salt opens the file: only the 32 bytes count")
    func otherSalt() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 3)
        let secret = [UInt8](repeating: 1, count: 32)
        let key = try DatabaseKey(secret: SecretBytes(copying: secret.span), salt: [UInt8](repeating: 0, count: 16))
        #expect(try scratch.count(Connection.open(scratch.path, key: key)) == 3)
    }

    @Test(
        "Each failed opening gives its reason and leaves file and folder unchanged",
        arguments: Case.all)
    func failures(_ failure: Case) throws {
        let scratch = try DatabaseScratch()
        if failure.startsAsDatabase { try scratch.fill(rows: 50) }
        try failure.prepare(scratch)
        let before = try Content(scratch.folder.path)
        let error = try #require(throws: LockstepError.self) {
            _ = try Connection.open(scratch.path, key: scratch.key(failure.key))
        }
        #expect(error.code == failure.code, "\(error)")
        #expect(error.hint != nil)
        #expect(error.message.contains(scratch.path.string))
        #expect(error.context.file == scratch.path.string)
        #expect(try Content(scratch.folder.path) == before)
    }

    @Test("A store does not open either", arguments: Case.all)
    func stores(_ failure: Case) throws {
        let scratch = try DatabaseScratch()
        if failure.startsAsDatabase { try scratch.fill(rows: 50) }
        try failure.prepare(scratch)
        let error = try #require(throws: LockstepError.self) {
            _ = try Store.open(scratch.path, rawKey: scratch.key(failure.key))
        }
        #expect(error.code == failure.code)
    }

    @Test("After a failed opening the right key opens the database")
    func afterFailure() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 3)
        #expect(throws: LockstepError.self) {
            _ = try Connection.open(scratch.path, key: scratch.key(2))
        }
        #expect(try scratch.count(scratch.open()) == 3)
    }

    @Test("A wrong key does not harm a log that has not been checkpointed")
    func wrongKeyBesideLog() throws {
        let scratch = try DatabaseScratch()
        try scratch.fill(rows: 3)
        let copy = scratch.folder.file("copy.db")
        do {
            let connection = try scratch.open()
            try scratch.add(rows: 4, to: connection)
            for suffix in ["", "-wal"] {
                try Bytes.write(Bytes.read(scratch.side(suffix)), to: FilePath(copy.string + suffix))
            }
        }
        let error = try #require(throws: LockstepError.self) {
            _ = try Connection.open(copy, key: scratch.key(2))
        }
        #expect(error.code == .wrongKey)
        #expect(try scratch.count(Connection.open(copy, key: scratch.key())) == 7)
    }

    /// A reason why opening fails.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let code: LockstepError.Code
        var key: UInt8 = 1
        var startsAsDatabase = true
        let prepare: @Sendable (DatabaseScratch) throws -> Void

        static let all: [Case] = [
            Case(testDescription: "wrong key", code: .wrongKey, key: 2) { _ in },
            Case(testDescription: "missing", code: .notFound, startsAsDatabase: false) { _ in },
            Case(testDescription: "empty", code: .emptyDatabase, startsAsDatabase: false) {
                try Bytes.write([], to: $0.path)
            },
            Case(testDescription: "folder", code: .notAFile, startsAsDatabase: false) {
                try FileManager.default.createDirectory(atPath: $0.path.string, withIntermediateDirectories: false)
            },
            Case(testDescription: "link to a database", code: .notAFile) {
                let target = $0.folder.file("target.db")
                try FileManager.default.moveItem(atPath: $0.path.string, toPath: target.string)
                try FileManager.default.createSymbolicLink(atPath: $0.path.string, withDestinationPath: target.string)
            },
            Case(testDescription: "named pipe", code: .notAFile, startsAsDatabase: false) {
                let made = mkfifo($0.path.string, 0o600)
                try #require(made == 0)
            },
            Case(
                testDescription: "plaintext", code: .plaintextDatabase, startsAsDatabase: false
            ) {
                try Bytes.write(PlaintextDatabase.bytes, to: $0.path)
            },
            Case(testDescription: "cut plaintext", code: .truncated, startsAsDatabase: false) {
                try Bytes.write(Array(PlaintextDatabase.bytes.dropLast()), to: $0.path)
            },
            Case(testDescription: "another product", code: .otherProduct) {
                try $0.damage { bytes in
                    bytes.replaceSubrange(16..<24, with: PlaintextDatabase.bytes[16..<24])
                }
            },
            Case(testDescription: "first page damaged", code: .damaged) {
                try $0.damage { $0[1000] ^= 1 }
            },
            Case(testDescription: "salt destroyed", code: .damaged) {
                try $0.damage { $0.replaceSubrange(0..<16, with: [UInt8](repeating: 0, count: 16)) }
            },
            Case(testDescription: "cut within the first page", code: .truncated) {
                try $0.damage { $0.removeLast($0.count - 4095) }
            },
        ]
    }

    /// Everything in a folder, byte for byte; nil for anything other than a file.
    private struct Content: Equatable {
        private var files: [String: [UInt8]?] = [:]

        init(_ folder: FilePath) throws {
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.string) {
                let path = folder.appending(name)
                let type = try FileManager.default.attributesOfItem(atPath: path.string)[.type]
                let isFile = type as? FileAttributeType == .typeRegular
                files[name] = .some(isFile ? try Bytes.read(path) : nil)
            }
        }
    }
}
