import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("What opens the keyring of a store")
struct KeySourceTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func open(_ key: KeySource, _ name: String = "films.db") throws {
        try Store.openBlocking(folder.file(name), key: key, sealed: Dataset("films")).blocking.close()
    }

    /// Makes a database and opens it again; nothing else opens it.
    private func roundTrip(_ key: KeySource, _ slot: String) throws {
        try open(key)
        try open(key)
        let file = KeyringFile.database(beside: folder.file("films.db"))
        #expect(try file.summary().slots.map(\.name) == [slot])
        #expect(throws: LockstepError.self) { try open(.passphrase("something else")) }
    }

    @Test("A key file, which is made for its owner alone")
    func keyFile() throws {
        try roundTrip(.keyFile(folder.file("my.key")), "key-file")
        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("my.key").string)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.size] as? Int == 32)
        try open(.keyFile(folder.file("my.key")), "other.db")
    }

    @Test("A passphrase, at its cost")
    func passphrase() throws {
        try roundTrip(.passphrase("correct horse battery", cost: .power(16)), "passphrase")
        let file = KeyringFile.database(beside: folder.file("films.db"))
        #expect(try file.summary().slots.map(\.kind) == [.passphrase(logN: 16)])
    }

    @Test("A variable, which stays set")
    func environment() throws {
        let name = "LOCKSTEP_TEST_KEY_SOURCE"
        setenv(name, String(repeating: "k", count: 40), 1)
        defer { unsetenv(name) }
        try roundTrip(.environment(name), "environment")
        #expect(throws: LockstepError.self) { try open(.environment("LOCKSTEP_TEST_OTHER")) }
    }

    @Test("What a command prints")
    func command() throws {
        let secret = try folder.write("secret", String(repeating: "s", count: 40))
        try roundTrip(.command(["/bin/cat", secret.string]), "command")
    }

    @Test("An identity")
    func identity() throws {
        let file = folder.file("identity.txt")
        try Identity.generate().create(file)
        try roundTrip(.identity(file), "identity")
    }

    @Test("A provider is asked with each slot's kind, and with nothing for a new keyring") func provider() throws {
        let path = folder.file("my.key")
        try KeyFile.create(path)
        let asked = Asked()
        let key = KeySource.provider { kind in
            asked.note(kind)
            return try KeyFile.read(path)
        }
        try open(key)
        #expect(asked.kinds == [nil, nil])
        try open(key)
        #expect(asked.kinds.dropFirst(2) == [.keyFile, .keyFile])
        #expect(throws: Stop.self) { try open(.provider { _ in throw Stop() }) }
    }

    @Test("A dataset can have a key of its own")
    func dataset() throws {
        let path = folder.file("films.db")
        let (one, other) = (folder.file("one.key"), folder.file("other.key"))
        func open(_ key: FilePath) throws {
            try Store.openBlocking(path, key: .keyFile(one), sealed: Dataset("films", key: .keyFile(key))).blocking
                .close()
        }
        try open(other)
        try open(other)
        Refusal.expect(.slotNotOpened) { try open(one) }
    }

    private final class Asked: @unchecked Sendable {
        private let lock = NSLock()
        private var all: [SlotDescription.Kind?] = []
        var kinds: [SlotDescription.Kind?] { lock.withLock { all } }
        func note(_ kind: SlotDescription.Kind?) { lock.withLock { all.append(kind) } }
    }
}
