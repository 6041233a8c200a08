import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A keyring moves beside its database")
struct KeyringMoveTests {
    private let bound: BoundScratch
    private var scratch: RotationScratch { bound.scratch }
    private var path: FilePath { scratch.path }
    private var target: KeyringFile { .database(beside: path) }

    init() throws { bound = try BoundScratch() }

    private func open(_ file: KeyringFile) throws -> Keyring {
        try file.open { _ in try KeyFile.read(scratch.keyFile) }
    }

    private func move(_ file: KeyringFile, to target: KeyringFile) throws {
        var keyring = try open(file)
        try file.move(&keyring, to: target)
        #expect(try keyring.epoch == open(target).epoch)
    }

    private func rows(_ file: KeyringFile) throws -> [String] {
        try RotationScratch.content(
            Connection.open(path, key: open(file).databaseKey(for: path)))
    }

    @Test("It opens the same database there, and is gone from where it was")
    func moved() throws {
        let before = try rows(scratch.file)
        let paths = try open(scratch.file).document.files.map(\.path)
        try move(scratch.file, to: target)
        #expect(!scratch.file.exists)
        #expect(try rows(target) == before)
        let place = try open(target).document.files.compactMap { try target.place(of: $0) }
        #expect(try place == [RealPath.of(path)])
        #expect(try Stat(target.path).permissions == .ownerReadWrite)
        // And back again.
        try move(target, to: scratch.file)
        #expect(try rows(scratch.file) == before)
        #expect(try open(scratch.file).document.files.map(\.path) == paths)
    }

    @Test("A path that is recorded in another way is recorded in a new version of the keyring")
    func respelled() throws {
        let far = KeyringFile(scratch.folder.file("a/b").appending("far.keyring"))
        try AtomicFile.createFolder(scratch.folder.file("a"))
        let epoch = try open(scratch.file).epoch
        try move(scratch.file, to: far)
        let keyring = try open(far)
        #expect(keyring.epoch == epoch + 1)
        #expect(try keyring.document.files.map(\.path) == [RealPath.of(path)])
        #expect(try !rows(far).isEmpty)
    }

    @Test("A move that was killed before the old file was removed is ended by the same move") func killed() throws {
        let before = try rows(scratch.file)
        let text = try Bytes.read(scratch.file.path)
        try move(scratch.file, to: target)
        try AtomicFile.write(text, to: scratch.file.path)
        // Somebody goes on with the old file meanwhile.
        var keyring = try open(scratch.file)
        try scratch.file.save(&keyring)
        let newest = keyring.epoch
        try move(scratch.file, to: target)
        #expect(!scratch.file.exists)
        #expect(try open(target).epoch == newest)
        // Or with the new one.
        var later = try open(target)
        try target.save(&later)
        try AtomicFile.write(text, to: scratch.file.path)
        try move(scratch.file, to: target)
        #expect(try open(target).epoch == newest + 1)
        #expect(try rows(target) == before)
    }

    @Test("Another keyring at the new place, a job and a folder of others move nothing") func refused() throws {
        var other = try Keyring.create(.database)
        try other.addSlot("key-file", KeyFile.read(scratch.keyFile))
        try target.create(other)
        let text = try Bytes.read(scratch.file.path)
        #expect { try move(scratch.file, to: target) } throws: {
            ($0 as? LockstepError)?.code == .alreadyExists
        }
        #expect(try open(target).document.ringID == other.document.ringID)
        let folder = scratch.folder.file("open")
        try AtomicFile.createFolder(folder)
        try FileManager.default.setAttributes([.posixPermissions: 0o770], ofItemAtPath: folder.string)
        #expect {
            try move(scratch.file, to: KeyringFile(folder.appending("database.keyring")))
        } throws: {
            ($0 as? LockstepError)?.code == .permissionsTooOpen
        }
        try scratch.file.whileUsed {
            _ = #expect {
                try FileLockWait(timeout: .zero).run {
                    try move(scratch.file, to: KeyringFile(scratch.folder.file("free.keyring")))
                }
            } throws: {
                ($0 as? LockstepError)?.code == .locked
            }
        }
        #expect(try Bytes.read(scratch.file.path) == text)
    }
}
