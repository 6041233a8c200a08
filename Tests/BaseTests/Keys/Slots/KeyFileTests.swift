import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct KeyFileTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("a key file holds 32 random bytes, in mode 0600")
    func create() throws {
        let (one, other) = (folder.file("one.key"), folder.file("other.key"))
        try KeyFile.create(one)
        try KeyFile.create(other)
        #expect(try Bytes.read(one).count == 32)
        #expect(try Bytes.read(one) != Bytes.read(other))
        let attributes = try FileManager.default.attributesOfItem(atPath: one.string)
        #expect(attributes[.posixPermissions] as? NSNumber == 0o600)
    }

    @Test("a key file opens the keyring that was closed with it")
    func use() throws {
        let path = folder.file("one.key")
        try KeyFile.create(path)
        var ring = try Keyring.create(.database)
        try ring.addSlot("file", KeyFile.read(path))
        let text = try ring.encode(epoch: 1)
        let opened = try Keyring.open(text) { _ in try KeyFile.read(path) }
        #expect(try Rings.databaseKey(opened) == Rings.databaseKey(ring))
        let other = folder.file("other.key")
        try KeyFile.create(other)
        Refusal.expect(.slotNotOpened) {
            _ = try Keyring.open(text) { _ in try KeyFile.read(other) }
        }
    }

    @Test("a key file's content is the credential, to the byte", arguments: [32, 33, 4095, 4096])
    func content(_ count: Int) throws {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let path = try folder.write("some.key", bytes)
        #expect(Secrets.bytes(of: try KeyFile.read(path).secret) == bytes)
    }

    @Test("creating does not replace a file, nor follow a link")
    func noOverwriting() throws {
        let path = try folder.write("some.key", "precious")
        Refusal.expect(.alreadyExists) { try KeyFile.create(path) }
        #expect(try Bytes.read(path) == Array("precious".utf8))
        let link = folder.file("link.key")
        try FileManager.default.createSymbolicLink(
            atPath: link.string, withDestinationPath: folder.file("target").string)
        Refusal.expect(.alreadyExists) { try KeyFile.create(link) }
        #expect(!FileManager.default.fileExists(atPath: folder.file("target").string))
    }

    @Test("a key file in no folder is not found")
    func noFolder() {
        let path = folder.file("none").appending("some.key")
        Refusal.expect(.notFound) { try KeyFile.create(path) }
        Refusal.expect(.notFound) { _ = try KeyFile.read(path) }
    }

    @Test("a file that is too short to be a key is unsuitable", arguments: [0, 1, 31])
    func tooShort(_ count: Int) throws {
        let path = try folder.write("short.key", [UInt8](repeating: 1, count: count))
        Refusal.expect(.secretUnsuitable) { _ = try KeyFile.read(path) }
    }

    @Test("a file that is too long to be a key is unsuitable", arguments: [4097, 100_000])
    func tooLong(_ count: Int) throws {
        let path = try folder.write("long.key", [UInt8](repeating: 1, count: count))
        Refusal.expect(.secretUnsuitable) { _ = try KeyFile.read(path) }
    }

    @Test(
        "a key file that is open to group or others is refused",
        arguments: [
            0o640, 0o604, 0o620, 0o602, 0o644, 0o666,
        ])
    func modes(_ mode: Int) throws {
        let path = folder.file("open.key")
        try Bytes.write([UInt8](repeating: 1, count: 32), to: path, mode: mode)
        Refusal.expect(.permissionsTooOpen) { _ = try KeyFile.read(path) }
    }

    @Test("links, folders and pipes are not key files")
    func otherThings() throws {
        let path = folder.file("some.key")
        try KeyFile.create(path)
        let link = folder.file("link.key")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: path.string)
        Refusal.expect(.notAFile) { _ = try KeyFile.read(link) }
        Refusal.expect(.notAFile) { _ = try KeyFile.read(folder.path) }
        let pipe = folder.file("pipe.key")
        let made = mkfifo(pipe.string, 0o600)
        #expect(made == 0)
        Refusal.expect(.notAFile) { _ = try KeyFile.read(pipe) }
        Refusal.expect(.notAFile) { _ = try KeyFile.read("/dev/zero") }
    }

    @Test("a pipe's bytes are read to their end, up to a limit")
    func descriptor() throws {
        let (reading, writing) = try FileDescriptor.pipe()
        try writing.writeAll(Array("a passphrase".utf8))
        try writing.close()
        let secret = try SecretBytes(readingFrom: reading, "standard input", limit: 12)
        try reading.close()
        #expect(Secrets.bytes(of: secret) == Array("a passphrase".utf8))

        let (reading2, writing2) = try FileDescriptor.pipe()
        try writing2.writeAll(Array("a passphrase!".utf8))
        try writing2.close()
        Refusal.expect(.tooLarge) {
            _ = try SecretBytes(readingFrom: reading2, "standard input", limit: 12)
        }
        try reading2.close()
    }
}
