import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct AtomicFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path.string).sorted()
    }

    @Test("a file is made, then replaced as a whole, and only its owner can access it") func replacing() throws {
        let path = folder.file("some")
        try AtomicFile.write(Array("long content".utf8), to: path)
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o644], ofItemAtPath: path.string)
        try AtomicFile.write(Array("short".utf8), to: path)
        #expect(try Bytes.read(path) == Array("short".utf8))
        let attributes = try FileManager.default.attributesOfItem(atPath: path.string)
        #expect(attributes[.posixPermissions] as? NSNumber == 0o600)
        #expect(try names() == ["some"])
    }

    @Test("a link is replaced, and what it points to stays as it is")
    func links() throws {
        let target = try folder.write("target", "untouched")
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: target.string)
        try AtomicFile.write(Array("new".utf8), to: link)
        #expect(try Bytes.read(target) == Array("untouched".utf8))
        #expect(try Bytes.read(link) == Array("new".utf8))
    }

    @Test("a reader of the old file keeps reading the old content")
    func oldDescriptor() throws {
        let path = try folder.write("some", "old")
        let file = try FileAccess.open(path, .ordinary)
        defer { try? file.close() }
        try AtomicFile.write(Array("new".utf8), to: path)
        var bytes = [UInt8](repeating: 0, count: 8)
        let count = try bytes.withUnsafeMutableBytes { try file.read(into: $0) }
        #expect(Array(bytes[..<count]) == Array("old".utf8))
    }

    @Test("a write that fails leaves no temporary file")
    func failure() throws {
        let path = folder.file("folder")
        try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: false)
        Refusal.expect(.notAFile) { try AtomicFile.write([1, 2, 3], to: path) }
        #expect(try names() == ["folder"])
        Refusal.expect(.notFound) {
            try AtomicFile.write([1], to: folder.file("none").appending("some"))
        }
        Refusal.expect(.notAFile) { try AtomicFile.write([1], to: "/") }
    }

    @Test("making an existing folder is not a failure, but making one inside a missing folder is")
    func folders() throws {
        let path = folder.file("Keys")
        try AtomicFile.createFolder(path)
        try AtomicFile.createFolder(path)
        #expect(try names() == ["Keys"])
        Refusal.expect(.notFound) {
            try AtomicFile.createFolder(folder.file("none").appending("Keys"))
        }
    }

    @Test("the folder of a bare name is the current one")
    func parents() {
        #expect(AtomicFile.parent(of: "name") == ".")
        #expect(AtomicFile.parent(of: "a/name") == "a")
        #expect(AtomicFile.parent(of: "/name") == "/")
    }

    @Test("a lock is held until it ends, and its file stays")
    func locks() throws {
        let path = folder.file(".lock")
        do {
            let lock = try FileLock(path)
            Refusal.expect(.locked) { _ = try FileLock(path) }
            withExtendedLifetime(lock) {}
        }
        _ = try FileLock(path)
        #expect(try names() == [".lock"])
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: path.string)
        Refusal.expect(.notAFile) { _ = try FileLock(link) }
    }
}
