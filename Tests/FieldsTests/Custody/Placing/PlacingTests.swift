import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Databases that get their place while their keyring changes")
struct PlacingTests {
    private let bound: BoundScratch
    private var scratch: RotationScratch { bound.scratch }
    private var second: FilePath { scratch.folder.file("second.db") }
    private var backup: FilePath { scratch.folder.file("backup.db") }
    private let atOnce = FileLockWait(timeout: .zero)

    init() throws {
        bound = try BoundScratch()
        var keyring = try scratch.keyring()
        do {
            let connection = try Connection.create(second, key: keyring.activeDatabaseKey())
            try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
            try keyring.bind(connection, in: scratch.file)
        }
        try withStore { store in try store.blocking.backup(to: backup) }
    }

    private func withStore(_ body: (Store) throws -> Void) throws {
        let store = try Store.open(scratch.path, rawKey: scratch.keyring().databaseKey(for: scratch.path))
        try body(store)
        try store.blocking.close()
    }

    private func rotateSecond() throws {
        var keyring = try scratch.keyring()
        try DatabaseKeyRotation(of: second, keyring: scratch.file, reason: .compromise)
            .run(&keyring)
    }

    private func version(_ path: FilePath) throws -> UInt32 {
        try scratch.keyring().keyEntry(of: path).version
    }

    @Test("A restored database has the key that is active when it gets its name")
    func restored() throws {
        var keyring = try scratch.keyring()
        var isChanged = false
        try Restore(scratch.path, from: backup).run(&keyring, in: scratch.file) { _ in
            guard !isChanged else { return }
            isChanged = true
            try rotateSecond()
        }
        #expect(isChanged)
        #expect(try scratch.states == [.compromised, .active])
        #expect(try version(scratch.path) == 2)
        // The keyring already says so.
        #expect(try scratch.keyring().document.files.map(\.keyVersion) == [2, 2])
        #expect(try keyring.epoch == scratch.keyring().epoch)
        try bound.open()
    }

    @Test("An adopted database has the key that is active when it gets its name")
    func adopted() throws {
        let (original, new) = (scratch.folder.file("plain.db"), scratch.folder.file("new.db"))
        do {
            try AtomicFile.create(original).close()
            let plain = try ExternalDatabase.makePlaintext(original)
            try plain.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
            try plain.execute("INSERT INTO item VALUES (1), (2), (3)")
        }
        var keyring = try scratch.keyring()
        var isChanged = false
        let report = try Adoption(of: original, into: new).run(&keyring, in: scratch.file) { _ in
            guard !isChanged else { return }
            isChanged = true
            try rotateSecond()
        }
        #expect(report.copy.rows["item"] == 3)
        #expect(try version(new) == 2)
        #expect(try scratch.keyring().document.files.count == 3)
        try bound.open(new)
        try bound.open()
    }

    @Test("An export of a recorded database is adopted in its place, and not beside it") func exported() throws {
        let (original, new) = (scratch.folder.file("plain.db"), scratch.folder.file("new.db"))
        try withStore { store in try PlaintextExport(to: original).run(on: store) }
        var keyring = try scratch.keyring()
        let before = try Bytes.read(scratch.file.path)
        Refusal.expect(.twoFiles) {
            try Adoption(of: original, into: new).run(&keyring, in: scratch.file)
        }
        #expect(!FileAccess.exists(new))
        #expect(try AtomicFile.leftovers(of: new).isEmpty)
        #expect(try Bytes.read(scratch.file.path) == before)
        try bound.open()
        DatabaseScratch.remove(scratch.path)
        try Adoption(of: original, into: new).run(&keyring, in: scratch.file)
        try bound.open(new)
    }

    @Test("A salvaged copy has the key that is active when it gets its name, and is still a copy")
    func salvaged() throws {
        let new = scratch.folder.file("new.db")
        var keyring = try scratch.keyring()
        var isChanged = false
        let report = try Salvage(scratch.path, into: new).run(&keyring, in: scratch.file) { _ in
            guard !isChanged else { return }
            isChanged = true
            try rotateSecond()
        }
        #expect(isChanged && report.isComplete)
        #expect(try version(new) == 2)
        #expect(try bound.open(new).fileRole() == .copy)
        #expect(try scratch.keyring().document.files.count == 2)
        // The damaged database is under the key that it was under.
        #expect(try version(scratch.path) == 1)
        try bound.open()
    }

    @Test("Provisioned databases have the active key, and the keyring records each as itself")
    func provisioned() throws {
        var keyring = try scratch.keyring()
        let templateKey = try keyring.databaseKey(for: scratch.path)
        var isChanged = false
        let paths = ["one.db", "two.db"].map { scratch.folder.file($0) }
        for path in paths {
            try Provisioning(path, from: scratch.path)
                .run(&keyring, in: scratch.file, templateKey: templateKey) { _ in
                    guard !isChanged else { return }
                    isChanged = true
                    try rotateSecond()
                }
            #expect(try version(path) == 2)
        }
        #expect(isChanged)
        let ids = try (paths + [scratch.path, second]).map { path in
            try Connection.open(path, key: scratch.keyring().databaseKey(for: path)).databaseID()
        }
        #expect(Set(ids).count == 4 && !ids.contains(nil))
        #expect(Set(try scratch.keyring().document.files.map { Optional($0.database) }) == Set(ids))
        for path in paths { try bound.open(path) }
        try bound.open()
    }

    @Test("Once a database has its place, nothing fails any more")
    func placed() throws {
        let new = scratch.folder.file("new.db")
        let made = scratch.folder.file("made.db")
        var keyring = try scratch.keyring()
        try Placing(keyringFile: scratch.file, database: new).run(&keyring, as: .new) { _, key, place in
            do { _ = try Connection.create(made, key: key.forNewDatabase()) }
            try place(made) {
                try FileManager.default.moveItem(atPath: made.string, toPath: new.string)
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: scratch.file.path.string)
            }
        }
        Refusal.expect(.permissionsTooOpen) { try scratch.file.reread(&keyring) }
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: scratch.file.path.string)
        _ = try Connection.open(new, key: scratch.keyring().databaseKey(for: new))
        #expect(try scratch.keyring().document.files.count == 3)
    }

    @Test("If the key changes each time, nothing is placed")
    func restless() throws {
        let before = try Bytes.read(scratch.path)
        var keyring = try scratch.keyring()
        var rounds = 0
        Refusal.expect(.busy) {
            try Restore(scratch.path, from: backup).run(&keyring, in: scratch.file) { _ in
                rounds += 1
                try rotateSecond()
            }
        }
        #expect(rounds > 2)
        #expect(try Bytes.read(scratch.path) == before)
        #expect(try AtomicFile.leftovers(of: scratch.path).isEmpty)
        try bound.open()
        try bound.open(second)
    }

    @Test("Nobody replaces a database that somebody restores, and no key is destroyed meanwhile") func locked() throws {
        try scratch.rotate()
        try rotateSecond()
        var keyring = try scratch.keyring()
        var rounds = 0
        try Restore(scratch.path, from: backup).run(&keyring, in: scratch.file) { _ in
            rounds += 1
            Refusal.expect(.locked) { try atOnce.run { _ = try scratch.rotate() } }
            var other = try scratch.keyring()
            let destruction = KeyDestruction(of: .database, version: 1, keyring: scratch.file)
            Refusal.expect(.locked) {
                try atOnce.run { _ = try destruction.run(&other) { _ in try DatabaseKey.ephemeral() } }
            }
        }
        #expect(rounds > 0)
        try scratch.file.whileUsed {
            Refusal.expect(.locked) {
                try atOnce.run { _ = try UseLock(scratch.file.path, .exclusive) }
            }
        }
        try scratch.rotate()
    }

    @Test("No key is changed while a safe migration is unfinished")
    func unfinishedMigration() throws {
        try Bytes.write([], to: FilePath(scratch.path.string + ".safe-migration"))
        Refusal.expect(.busy) { try scratch.rotate() }
        #expect(try scratch.states == [.active])
    }
}
