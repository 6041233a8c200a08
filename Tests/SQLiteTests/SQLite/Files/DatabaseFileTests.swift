import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Database files as bytes")
struct DatabaseFileTests {
    private let scratch: DatabaseScratch

    init() throws { scratch = try DatabaseScratch() }

    @Test("Reading returns the existing bytes, and fewer at the end")
    func reading() throws {
        let content = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        try Bytes.write(content, to: scratch.path)
        let file = try DatabaseFile(scratch.path)
        #expect(file.size == 10_000)
        #expect(try file.read(at: 0, 16) == Array(content[..<16]))
        #expect(try file.read(at: 4095, 4098) == Array(content[4095..<8193]))
        #expect(try file.read(at: 9990, 100) == Array(content[9990...]))
        #expect(try file.read(at: 0, 1 << 20) == content)
        for offset in [10_000, 10_001, 1 << 40] { #expect(try file.read(at: offset, 10) == []) }
        #expect(try file.read(at: 5, 0) == [])
    }

    @Test("The files beside a database are read by suffix")
    func sideFiles() throws {
        try Bytes.write([], to: scratch.path)
        try Bytes.write([1, 2, 3], to: scratch.side("-wal"))
        let log = try DatabaseFile(scratch.path, suffix: "-wal")
        #expect(try log.size == 3 && log.read(at: 1, 9) == [2, 3])
        #expect(DatabaseFile.side("-shm", of: scratch.path) == scratch.side("-shm"))
    }

    @Test("Only regular files are read")
    func otherKinds() throws {
        let target = try scratch.folder.write("target", [1, 2, 3])
        let link = scratch.folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: target.string)
        for (path, code) in [
            (scratch.folder.path, LockstepError.Code.notAFile), (link, .notAFile), ("/dev/null", .notAFile),
            (scratch.folder.file("missing"), .notFound), (target.appending("below"), .notAFile), ("", .notFound),
        ] {
            let error = try #require(throws: LockstepError.self) { _ = try DatabaseFile(path) }
            #expect(error.code == code && error.hint != nil, "\(path)")
        }
    }

    @Test("Reading creates no file and takes no lock")
    func leavesNoTrace() throws {
        try Bytes.write([UInt8](repeating: 5, count: 8192), to: scratch.path)
        let file = try DatabaseFile(scratch.path)
        _ = try file.read(at: 0, 4096)
        #expect(try scratch.names == ["data.db"])
        #expect(try locks() == [])
    }

    // Closing any descriptor of a file drops all locks that the process has on it (fcntl(2)).
    @Test(
        "Examining an open database leaves the locks of its connections in place",
        .enabled(
            if: FileManager.default.fileExists(atPath: "/proc/locks"), "there is no /proc/locks"))
    func locksStay() throws {
        try scratch.fill(rows: 3)
        let connection = try scratch.open()
        #expect(try scratch.count(connection) == 3)
        let before = try locks()
        #expect(before != [])
        _ = try PageAudit(scratch.path).run(key: scratch.key())
        _ = try Diagnosis.examine(scratch.path, key: scratch.key())
        #expect(throws: LockstepError.self) {
            _ = try Connection.open(scratch.path, key: scratch.key(2))
        }
        do {
            let other = try scratch.open()
            #expect(try scratch.count(other) == 3)
        }
        #expect(try locks() == before)
        #expect(try scratch.count(connection) == 3)
    }

    /// The system's locks on the main file, each as kind, owner and range.
    private func locks() throws -> [String] {
        let status = try FileManager.default.attributesOfItem(atPath: scratch.path.string)
        let inode = try #require(status[.systemFileNumber] as? UInt64)
        // The system returns a page at a time, and Foundation takes the first for the whole file.
        let list = try #require(FileHandle(forReadingAtPath: "/proc/locks"))
        let all = String(decoding: try list.readToEnd() ?? Data(), as: UTF8.self)
        return all.split(separator: "\n").filter { $0.contains(":\(inode) ") }
            .map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
    }
}
