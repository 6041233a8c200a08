import Foundation
import Synchronization
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct KeyringFileTests {
    let folder: TemporaryFolder
    let file: KeyringFile

    init() throws {
        folder = try TemporaryFolder()
        file = KeyringFile(folder.file("Keys").appending("films.database.keyring"))
    }

    private static func mode(_ path: FilePath) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path.string)
        return try #require(attributes[.posixPermissions] as? NSNumber).intValue
    }

    private static func open(_ file: KeyringFile, fill: UInt8 = 0xA5) throws -> Keyring {
        try file.open { slot in slot.kind == .keyFile ? try Rings.keyFile(fill) : nil }
    }

    @Test("a keyring that was created opens with the key it had")
    func createAndOpen() throws {
        #expect(!file.exists)
        let ring = try Rings.make()
        try file.create(ring)
        #expect(file.exists)
        let opened = try Self.open(file)
        #expect(try Rings.databaseKey(opened) == Rings.databaseKey(ring))
        #expect(opened.epoch == 1)
    }

    @Test("files are of mode 0600, the folder is of mode 0700, whatever the umask")
    func modes() throws {
        var ring = try Rings.make()
        try file.create(ring)
        let keys = folder.file("Keys")
        #expect(try Self.mode(keys) == 0o700)
        for name in try FileManager.default.contentsOfDirectory(atPath: keys.string) {
            #expect(try Self.mode(keys.appending(name)) == 0o600, "\(name)")
        }
        try file.save(&ring)
        #expect(try Self.mode(file.path) == 0o600)
    }

    @Test("creating does not replace a keyring, nor anything else in its place") func noOverwriting() throws {
        let ring = try Rings.make()
        try file.create(ring)
        let before = try Bytes.read(file.path)
        let other = try Rings.make()
        Refusal.expect(.alreadyExists) { try file.create(other) }
        #expect(try Bytes.read(file.path) == before)

        let link = folder.file("Keys").appending("dangling.keyring")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: "nowhere")
        Refusal.expect(.alreadyExists) { try KeyringFile(link).create(other) }
    }

    @Test("the epoch rises by one with each save, and the file says so")
    func epochs() throws {
        var ring = try Rings.make()
        try file.create(ring)
        for expected: UInt64 in 2...4 {
            try ring.addKey(.database, state: .pending)
            try file.save(&ring)
            #expect(ring.epoch == expected)
            #expect(try file.summary().epoch == expected)
            #expect(try Self.open(file).summary.keys.count == Int(expected))
        }
    }

    @Test("a keyring that was opened before another save cannot be saved over it")
    func lostUpdate() throws {
        let ring = try Rings.make()
        try file.create(ring)
        var one = try Self.open(file)
        var other = try Self.open(file)
        try one.addSlot("one", Rings.keyFile(1))
        try other.addSlot("other", Rings.keyFile(2))
        try file.save(&one)
        let saved = try Bytes.read(file.path)
        Refusal.expect(.keyringChanged) { try file.save(&other) }
        #expect(try Bytes.read(file.path) == saved)
        #expect(try file.summary().slots.map(\.name) == ["file", "one"])

        var again = try Self.open(file)
        try again.addSlot("other", Rings.keyFile(2))
        try file.save(&again)
        #expect(try Rings.databaseKey(Self.open(file, fill: 2)) == Rings.databaseKey(ring))
    }

    @Test("a keyring is not saved over another one")
    func otherRing() throws {
        let ring = try Rings.make()
        try file.create(ring)
        var other = try Rings.make()
        Refusal.expect(.keyringChanged) { try file.save(&other) }
        #expect(try Rings.databaseKey(Self.open(file)) == Rings.databaseKey(ring))
    }

    @Test("a save that fails leaves the file as it was, and can be repeated")
    func failedSave() throws {
        var ring = try Rings.make()
        try file.create(ring)
        let before = try Bytes.read(file.path)
        try ring.addKey(.database, state: .pending)
        try ring.setState(.database, version: 1, to: .retired)
        #expect(try Refusal.code { try file.save(&ring) } != nil)
        #expect(try Bytes.read(file.path) == before)
        try ring.setState(.database, version: 2, to: .active)
        try file.save(&ring)
        #expect(try file.summary().epoch == 2)
        #expect(try Rings.databaseKey(Self.open(file)) == Rings.databaseKey(ring))
    }

    @Test("saving leaves nothing but the keyring and its lock")
    func noLitter() throws {
        var ring = try Rings.make()
        try file.create(ring)
        for _ in 0..<3 { try file.save(&ring) }
        let names = try FileManager.default.contentsOfDirectory(
            atPath: folder.file("Keys").string)
        #expect(names.sorted() == [".films.database.keyring.lock", ".lock", "films.database.keyring"])
    }

    @Test("while another holds the lock, nothing is created or saved, but everything is read") func locked() throws {
        var ring = try Rings.make()
        try file.create(ring)
        let second = KeyringFile(folder.file("Keys").appending("other.keyring"))
        let other = try Rings.make()
        let patience = FileLockWait(timeout: .zero)
        do {
            let lock = try KeyringLock(file.path)
            Refusal.expect(.locked) { try patience.run { try file.save(&ring) } }
            #expect(try Rings.databaseKey(Self.open(file)) == Rings.databaseKey(ring))
            // Other keyrings of the folder have locks of their own.
            try patience.run { try second.create(other) }
            _ = lock
        }
        // A program that locks the whole folder keeps others out of all keyrings, and they it.
        let lockPath = folder.file("Keys").appending(".lock")
        do {
            let lock = try KeyringLock(second.path)
            Refusal.expect(.locked) { _ = try FileLock(lockPath) }
            _ = lock
        }
        let lock = try FileLock(lockPath)
        Refusal.expect(.locked) { try patience.run { try file.save(&ring) } }
        _ = lock
    }

    @Test("A writer waits for its turn, until it is stopped")
    func waits() throws {
        var ring = try Rings.make()
        try file.create(ring)
        var lock: KeyringLock? = try KeyringLock(file.path)
        let waits = Mutex(0)
        let stopping = FileLockWait(
            timeout: .seconds(60),
            shouldContinue: {
                waits.withLock { $0 += 1 }
                throw Stop()
            })
        #expect(throws: Stop.self) { try stopping.run { try file.save(&ring) } }
        #expect(waits.withLock { $0 } == 1)
        #expect(try file.summary().epoch == 1)
        lock = nil
        try stopping.run { try file.save(&ring) }
        #expect(ring.epoch == 2)
        _ = lock
    }

    @Test("the lock is free again after a failure")
    func lockAfterFailure() throws {
        var ring = try Rings.make()
        try file.create(ring)
        var other = try Rings.make()
        Refusal.expect(.alreadyExists) { try file.create(other) }
        Refusal.expect(.keyringChanged) { try file.save(&other) }
        try file.save(&ring)
        #expect(ring.epoch == 2)
    }

    @Test("a keyring is named after its database, or its dataset")
    func names() throws {
        let database = KeyringFile.database(for: "/data/films.sqlite", in: "/keys")
        #expect(database.path == "/keys/films.database.keyring")
        #expect(try KeyringFile.fields(of: "reviews-2", in: "Keys").path == "Keys/reviews-2.fields.keyring")
        for name in ["", "../up", "a/b", "Films", "a b"] {
            Refusal.expect(.keyringConflict) { _ = try KeyringFile.fields(of: name, in: "Keys") }
        }
    }

    @Test("The next writer removes what a killed one left, and nothing else")
    func leftovers() throws {
        let file = KeyringFile(folder.file("a.database.keyring"))
        try file.create(Rings.make())
        let left = [".a.database.keyring.1x2y.new", ".a.database.keyring.0.new"]
        let others = [".b.database.keyring.1x2y.new", "a.database.keyring.new", ".a.database.keyring.old"]
        for name in left + others { _ = try folder.write(name, Array("text".utf8)) }
        var ring = try file.open { _ in try Rings.keyFile() }
        try file.save(&ring)
        let standing = Set(try Folder.list(folder.path).files + Folder.list(folder.path, hidden: true).files)
        #expect(standing.isDisjoint(with: left) && standing.isSuperset(of: others))
        #expect(try file.open { _ in try Rings.keyFile() }.epoch == 2)
    }
}
