import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Remains of keys in the memory of a process that has closed everything.
@Suite("Keys in memory", .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/mem"), "there is no /proc"))
struct KeyMemoryTests {
    /// A separate process, because others hold their own keys and can keep copies in their stacks.
    @Test(
        "After everything is closed, no ring, field, database or slot key is found")
    func afterClosing() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            var masked: [String: MaskedSecret] = [:]
            try Self.openKeyrings(folder, &masked)
            try Self.useDatabase(folder, &masked)
            try #require(masked.count == 13, "\(masked.keys.sorted())")
            for (name, secret) in masked {
                let places = try secret.places()
                try #require(places.isEmpty, "\(name): \(places)")
            }
        }
    }

    @Test("The search finds secrets in memory: a plain one, and the key of an open database")
    func negativeControl() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let secret = try SecretBytes(random: 32)
            // Each half, once.
            try #require(MaskedSecret(secret).places().count == 2)
            let ring = try Rings.make()
            let key = try ring.activeDatabaseKey()
            let masked = MaskedSecret(key.secret)
            let connection = try Connection.create(folder.file("a.db"), key: key)
            try connection.execute("CREATE TABLE t (a)")
            // Lockstep's, and SQLCipher's.
            try #require(masked.places().count >= 4)
            _ = try connection.value("SELECT count(*) FROM t", as: Int.self)
        }
    }

    /// Each way to open a keyring, by file and by descriptor.
    private static func openKeyrings(_ folder: TemporaryFolder, _ masked: inout [String: MaskedSecret]) throws {
        let identity = try Identity.generate()
        masked["identity"] = MaskedSecret(identity.secret)
        try identity.create(folder.file("identity"))
        try KeyFile.create(folder.file("key"))
        masked["key file"] = try MaskedSecret(KeyFile.read(folder.file("key")).secret)
        var phrase = try SecretBytes(random: 24)
        for index in 0..<phrase.count {
            var bytes = phrase.mutableBytes
            bytes[index] = UInt8(ascii: "a") + bytes[index] % 26
        }
        masked["passphrase"] = MaskedSecret(phrase)

        var ring = try Keyring.create(.fields)
        try ring.addSlot("file", KeyFile.read(folder.file("key")))
        try ring.addSlot("reader", for: identity.recipient)
        try ring.addSlot("typed", .passphrase(Passphrase(phrase.clone())), cost: Rings.cheap)
        let file = KeyringFile(folder.file("films.fields.keyring"))
        try file.create(ring)
        masked["fields ring"] = MaskedSecret(ring.ringKey)
        for kind in KeyringPurpose.fields.kinds {
            masked[kind.rawValue] = try MaskedSecret(ring.key(kind, version: 1))
        }
        _ = try file.open { _ in try KeyFile.read(folder.file("key")) }
        _ = try file.open { _ in try .identity(Identity.read(folder.file("identity"))) }
        var opened = try file.open { _ in .passphrase(try Passphrase(phrase.clone())) }
        try opened.rotateRing()
        try opened.addSlot("file", KeyFile.read(folder.file("key")))
        masked["fields ring, the next"] = MaskedSecret(opened.ringKey)
        try file.save(&opened)
    }

    /// Writing and reading, a copy, and a change of the key.
    private static func useDatabase(_ folder: TemporaryFolder, _ masked: inout [String: MaskedSecret]) throws {
        let path = folder.file("a.db")
        let file = KeyringFile(folder.file("a.database.keyring"))
        var ring = try Rings.make()
        try file.create(ring)
        masked["database ring"] = MaskedSecret(ring.ringKey)
        masked["database data"] = try MaskedSecret(ring.key(.database, version: 1))
        let key = try ring.activeDatabaseKey()
        masked["database"] = MaskedSecret(key.secret)
        masked["keyspec"] = try MaskedSecret(key.keyspec(withSalt: false), from: 2)
        let store = try Store.create(path, rawKey: key)
        try store.blocking.write { db in
            try db.execute("CREATE TABLE t (a)")
            for number in 0..<100 { try db.execute("INSERT INTO t VALUES (?)", number) }
        }
        _ = try store.blocking.read { db in try db.value("SELECT count(*) FROM t", as: Int.self) }
        try store.blocking.backup(to: folder.file("b.db"), key: key)
        try store.blocking.close()
        try DatabaseKeyRotation(of: path, keyring: file).run(&ring)
        masked["database, the next"] = try MaskedSecret(ring.activeDatabaseKey().secret)
        let again = try Store.open(path, rawKey: ring.activeDatabaseKey())
        _ = try again.blocking.read { db in try db.value("SELECT count(*) FROM t", as: Int.self) }
        try again.blocking.close()
    }
}
