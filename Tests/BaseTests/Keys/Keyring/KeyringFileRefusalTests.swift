import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Files that no keyring is read from.
struct KeyringFileRefusalTests {
    let folder: TemporaryFolder
    let file: KeyringFile

    init() throws {
        folder = try TemporaryFolder()
        file = KeyringFile(try folder.write("films.database.keyring", try Rings.text()))
    }

    private func expect(
        _ code: LockstepError.Code, of file: KeyringFile, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        Refusal.expect(code, sourceLocation: sourceLocation) {
            _ = try file.open { _ in try Rings.keyFile() }
        }
        Refusal.expect(code, sourceLocation: sourceLocation) { _ = try file.summary() }
    }

    private func setMode(_ mode: Int, _ path: FilePath) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path.string)
    }

    @Test("the file that the other tests damage is read")
    func sound() throws {
        #expect(try file.open { _ in try Rings.keyFile() }.purpose == .database)
        #expect(try file.summary().slots.map(\.name) == ["file"])
    }

    @Test(
        "a file that is open to group or others is refused",
        arguments: [
            0o640, 0o620, 0o610, 0o604, 0o602, 0o601, 0o644, 0o666, 0o777,
        ])
    func modes(_ mode: Int) throws {
        try setMode(mode, file.path)
        expect(.permissionsTooOpen, of: file)
    }

    @Test("a malformed line is named with its file, for programs as well")
    func malformedLine() throws {
        var lines = Rings.lines(try Rings.text())
        lines[1] = "ring"
        let file = KeyringFile(try folder.write("other.keyring", Rings.joined(lines)))
        Refusal.expect(.keyringMalformed, about: .init(file: file.path.string, line: 2)) {
            _ = try file.summary()
        }
    }

    @Test("a file that even its owner cannot write to is read", arguments: [0o400, 0o700])
    func closedModes(_ mode: Int) throws {
        try setMode(mode, file.path)
        #expect(try file.open { _ in try Rings.keyFile() }.epoch == 1)
    }

    @Test(
        "a folder that others can write to is refused",
        arguments: [
            0o720, 0o702, 0o722, 0o770, 0o777, 0o1777,
        ])
    func folderModes(_ mode: Int) throws {
        var ring = try file.open { _ in try Rings.keyFile() }
        try setMode(mode, folder.path)
        expect(.permissionsTooOpen, of: file)
        Refusal.expect(.permissionsTooOpen) { try file.save(&ring) }
        let second = KeyringFile(folder.file("second.keyring"))
        let other = try Rings.make()
        Refusal.expect(.permissionsTooOpen) { try second.create(other) }
        #expect(!second.exists)
    }

    @Test(
        "another user's file is refused",
        .enabled(if: geteuid() == 0, "only root can give a file away"))
    func owner() throws {
        try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: file.path.string)
        expect(.permissionsTooOpen, of: file)
    }

    @Test(
        "another user's folder is refused, because its owner can replace the files in it",
        .enabled(if: geteuid() == 0, "only root can give a folder away"))
    func folderOwner() throws {
        try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: folder.path.string)
        expect(.permissionsTooOpen, of: file)
    }

    @Test("a symbolic link is refused, whether it points to a good keyring or to nothing") func links() throws {
        for (name, target) in [("good", file.path.string), ("dangling", "nowhere")] {
            let link = folder.file(name)
            try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: target)
            expect(.notAFile, of: KeyringFile(link))
        }
    }

    @Test("a folder in the file's place is refused")
    func directory() throws {
        let path = folder.file("folder.keyring")
        try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: false)
        try setMode(0o700, path)
        expect(.notAFile, of: KeyringFile(path))
    }

    @Test("a named pipe in the file's place is refused without waiting for it")
    func pipe() throws {
        let path = folder.file("pipe.keyring")
        let made = mkfifo(path.string, 0o600)
        #expect(made == 0)
        expect(.notAFile, of: KeyringFile(path))
    }

    @Test("a missing file, or one in a missing folder, is not found")
    func missing() {
        expect(.notFound, of: KeyringFile(folder.file("none.keyring")))
        expect(.notFound, of: KeyringFile(folder.file("none").appending("none.keyring")))
    }

    @Test("an empty file is malformed, and so is one of zeroes")
    func empty() throws {
        expect(.keyringMalformed, of: KeyringFile(try folder.write("empty.keyring", "")))
        let zeroes = [UInt8](repeating: 0, count: 1000)
        expect(.keyringMalformed, of: KeyringFile(try folder.write("zero.keyring", zeroes)))
    }

    @Test("4 MiB are read and found malformed, and one byte more is malformed by its size alone") func size() throws {
        let most = [UInt8](repeating: 0x0A, count: 4_194_304)
        expect(.keyringMalformed, of: KeyringFile(try folder.write("most.keyring", most)))
        let more = KeyringFile(try folder.write("more.keyring", most + [0x0A]))
        expect(.keyringMalformed, of: more)
        let error = #expect(throws: LockstepError.self) { _ = try more.open { _ in nil } }
        #expect(error?.message.contains("larger than the 4194304 bytes") == true)
    }

    @Test("an error in a text names the file's path and the line")
    func located() throws {
        var lines = Rings.lines(try Rings.text())
        lines[4] = lines[4].replacing("active", with: "expired")
        let spoilt = KeyringFile(try folder.write("spoilt.keyring", Rings.joined(lines)))
        do {
            _ = try spoilt.summary()
            Issue.record("it was read")
        } catch let error as LockstepError {
            #expect(error.message.hasPrefix(spoilt.path.string))
            #expect(error.message.contains("line 5"))
        }
    }

    @Test("a file that was damaged meanwhile is not saved over")
    func spoiltMeanwhile() throws {
        var ring = try file.open { _ in try Rings.keyFile() }
        try Bytes.write(Array("lockstep-keyring/1\n".utf8), to: file.path)
        Refusal.expect(.keyringMalformed) { try file.save(&ring) }
        #expect(try Bytes.read(file.path) == Array("lockstep-keyring/1\n".utf8))
    }

    @Test("a file that was removed meanwhile is not saved again")
    func removedMeanwhile() throws {
        var ring = try file.open { _ in try Rings.keyFile() }
        try FileManager.default.removeItem(atPath: file.path.string)
        Refusal.expect(.keyringChanged) { try file.save(&ring) }
        #expect(!file.exists)
    }
}
