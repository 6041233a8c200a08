import Foundation
import TestSupport
import Testing

@testable import Lockstep

/// What is left of keys in the memory of a process that has closed everything.
@Suite(
    "Keys in memory",
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/mem"), "there is no /proc"))
struct KeyMemoryTests {
    /// A process of its own: others hold keys of theirs, and would keep copies of their stacks.
    @Test(
        "Once all is closed, no ring, field or database key is found, nor what opened the keyring")
    func afterClosing() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            var masked: [String: MaskedSecret] = [:]
            try Self.use(folder, &masked)
            try #require(masked.count == 5)
            for (name, secret) in masked { try #require(secret.places() == 0, "\(name)") }
        }
    }

    @Test("The search finds what is there: a secret, and the key of an open database")
    func negativeControl() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let secret = try SecretBytes(random: 32)
            try #require(MaskedSecret(secret).places() == 1)
            let ring = try Rings.make()
            let key = try ring.databaseKey()
            let masked = MaskedSecret(key.secret)
            let connection = try Connection.create(folder.file("a.db"), key: key)
            try connection.execute("CREATE TABLE t (a)")
            // Ours, and SQLCipher's.
            try #require(masked.places() >= 2)
        }
    }

    private static func use(
        _ folder: TemporaryFolder, _ masked: inout [String: MaskedSecret]
    ) throws {
        let opening = try SecretBytes(random: 32)
        masked["key file"] = MaskedSecret(opening)
        for purpose in KeyringPurpose.allCases {
            var ring = try Keyring.create(purpose)
            try ring.addSlot("file", .keyFile(opening.clone()))
            let file = KeyringFile(folder.file("\(purpose.rawValue).keyring"))
            try file.create(ring)
            let opened = try file.open { _ in try .keyFile(opening.clone()) }
            masked["ring \(purpose.rawValue)"] = MaskedSecret(opened.ringKey)
            guard purpose == .database else {
                masked["field"] = try MaskedSecret(opened.key(.field, version: 1))
                continue
            }
            let key = try opened.databaseKey()
            masked["database"] = MaskedSecret(key.secret)
            let store = try Store.create(folder.file("a.db"), key: key)
            try store.write { db in
                try db.execute("CREATE TABLE t (a)")
                for number in 0..<100 { try db.execute("INSERT INTO t VALUES (?)", number) }
            }
            _ = try store.read { db in try db.value("SELECT count(*) FROM t", as: Int.self) }
            try store.backup(to: folder.file("b.db"), key: key)
            try store.close()
        }
    }
}
