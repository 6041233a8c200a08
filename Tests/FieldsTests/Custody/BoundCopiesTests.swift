import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Other files under a keyring that lists databases: those that programs make, copies of all kinds, and older ones.
@Suite("Other databases under a keyring that lists databases")
struct BoundCopiesTests {
    private let bound: BoundScratch

    init() throws { bound = try BoundScratch() }

    // MARK: Other databases under the keyring

    @Test("A database that a program makes under the keyring opens once it is bound")
    func made() throws {
        let path = bound.scratch.folder.file("second.db")
        do {
            let connection = try Connection.create(path, key: bound.scratch.keyring().activeDatabaseKey())
            try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
        }
        Refusal.expect(.unknownDatabase) { try bound.open(path) }
        #expect(try bound.age(path).findings.map(\.isFailure) == [true])
        var keyring = try bound.scratch.keyring()
        do {
            let connection = try Connection.open(path, key: keyring.keyOfNew(path))
            let content = try KeyringTable.read(connection)
            #expect(content.database != nil)
            #expect(try content.database != KeyringTable.database(bound.open()))
            try keyring.bind(connection, in: bound.scratch.file)
        }
        try bound.open(path)
        #expect(keyring.document.files.count == 2)
        // The first one has not learned of that: a program that changes keyrings binds each of them.
        do { try keyring.bind(bound.open(), in: bound.scratch.file) }
        // Both are under the key of files that are not recorded when they are made.
        for file in [path, bound.scratch.path] {
            let findings = try bound.age(file).findings
            #expect(findings.map(\.isFailure) == [false] && findings[0].message.contains("the key of this one"))
        }
    }

    @Test("A store that a program makes under the keyring and binds opens again")
    func madeStore() throws {
        let path = bound.scratch.folder.file("store.db")
        do {
            let store = try Store.create(path, rawKey: bound.scratch.keyring().activeDatabaseKey())
            try store.blocking.write {
                try $0.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
            }
            #expect(try store.blocking.read { try $0.value("SELECT count(*) FROM item") } == 0)
            var keyring = try bound.scratch.keyring()
            try store.blocking.withoutTransaction { try keyring.bind($0, in: bound.scratch.file) }
        }
        try bound.open(path)
    }

    @Test("A backup remembers what its database does, and is restored under the current keyring")
    func restored() throws {
        let backup = bound.scratch.folder.file("backup.db")
        let id = try KeyringTable.database(bound.open())
        _ = try Store.open(bound.scratch.path, rawKey: bound.scratch.keyring().activeDatabaseKey())
            .blocking.backup(to: backup)
        #expect(try KeyringTable.database(bound.open(backup)) == id)
        #expect(try bound.age(backup).findings == [])
        // Since then the keyring has changed, and so has its ring.
        try bound.save()
        try bound.rotateRing()
        try bound.bind()
        DatabaseScratch.remove(bound.scratch.path)
        let key = try bound.scratch.keyring().activeDatabaseKey()
        let backupKey = try bound.scratch.keyring().databaseKey(ofBackup: backup)
        _ = try Restore(bound.scratch.path, from: backup).run(key: key, backupKey: backupKey)
        // It is older than the database was, until it is bound again.
        Refusal.expect(.databaseOutdated) { try bound.open() }
        do {
            var keyring = try bound.scratch.keyring()
            let fresh = try Connection.open(bound.scratch.path, key: keyring.keyOfNew(bound.scratch.path))
            try keyring.bind(fresh, in: bound.scratch.file)
        }
        #expect(try KeyringTable.database(bound.open()) == id)
        #expect(try bound.age().findings == [])
    }

    @Test("A backup from before the rings that the keyring lists is restored and bound again")
    func restoredOld() throws {
        let backup = bound.scratch.folder.file("backup.db")
        _ = try Store.open(bound.scratch.path, rawKey: bound.scratch.keyring().activeDatabaseKey())
            .blocking.backup(to: backup)
        for _ in 0...KeyringDocument.maximumFormerRings { try bound.rotateRing() }
        DatabaseScratch.remove(bound.scratch.path)
        let key = try bound.scratch.keyring().activeDatabaseKey()
        let backupKey = try bound.scratch.keyring().databaseKey(ofBackup: backup)
        _ = try Restore(bound.scratch.path, from: backup).run(key: key, backupKey: backupKey)
        Refusal.expect(.tampered) { try bound.open() }
        var keyring = try bound.scratch.keyring()
        do {
            let fresh = try Connection.open(bound.scratch.path, key: keyring.keyOfNew(bound.scratch.path))
            try keyring.bind(fresh, in: bound.scratch.file)
        }
        try bound.open()
        #expect(try bound.age().findings == [])
    }

    @Test("A salvaged database keeps its id, and opens under the keyring")
    func salvaged() throws {
        let new = bound.scratch.folder.file("salvaged.db")
        let key = try bound.scratch.keyring().activeDatabaseKey()
        _ = try Salvage(bound.scratch.path, into: new).run(key: key, newKey: key)
        #expect(try KeyringTable.database(bound.open(new)) == KeyringTable.database(bound.open()))
        #expect(try bound.age(new).findings == [])
    }

    @Test(
        "A database that was exported and adopted again keeps its id, to which its registry is bound, and remembers the keyring"
    )
    func adopted() throws {
        let plain = bound.scratch.folder.file("plain.db")
        try PlaintextExport(to: plain).run(
            on: Store.open(bound.scratch.path, rawKey: bound.scratch.keyring().activeDatabaseKey()))
        let new = bound.scratch.folder.file("adopted.db")
        let id = try KeyringTable.database(bound.open())
        try Adoption(of: plain, into: new).run(key: bound.scratch.keyring().activeDatabaseKey())
        // Beside the database that it was, it claims to be the same one.
        Refusal.expect(.twoFiles) { try bound.open(new) }
        DatabaseScratch.remove(bound.scratch.path)
        try bound.open(new)
        #expect(try KeyringTable.database(bound.open(new)) == id)
        #expect(try bound.age(new).findings == [])
    }

    // MARK: Databases of version 0.2

    /// Without the column that came with the ids.
    private func makeLegacy() throws -> RotationScratch {
        let legacy = try RotationScratch()
        try legacy.fill(rows: 3, logged: 1)
        let connection = try Connection.open(legacy.path, key: legacy.keyring().activeDatabaseKey())
        try connection.with(rights: .engine) {
            try connection.execute("DELETE FROM lockstep_keyring WHERE ring = zeroblob(16)")
            try connection.execute("ALTER TABLE lockstep_keyring DROP COLUMN database")
        }
        return legacy
    }

    @Test(
        "A database from before ids opens and verifies without a notice, and gets its id when it is bound"
    )
    func legacy() throws {
        let legacy = try makeLegacy()
        let connection = try Connection.open(legacy.path, key: legacy.keyring().activeDatabaseKey())
        #expect(try KeyringTable.database(connection) == nil)
        #expect(try KeyringTable.read(connection).epochs.count == 1)
        func age() throws -> [VerificationReport.Finding] {
            let report = try Verification(legacy.path, sets: []).run(keyring: legacy.keyring())
            return report.outcomes.first { $0.check == .freshness }?.findings ?? []
        }
        #expect(try age() == [])
        var keyring = try legacy.keyring()
        try keyring.bind(connection, in: legacy.file)
        let id = try #require(try KeyringTable.database(connection))
        #expect(keyring.document.files.map(\.database) == [id])
        #expect(try age() == [])
        // It keeps it.
        try keyring.remember(in: connection)
        #expect(try KeyringTable.database(connection) == id)
    }

    @Test("Remembering alone also gives it an id")
    func legacyRemembers() throws {
        let legacy = try makeLegacy()
        let connection = try Connection.open(legacy.path, key: legacy.keyring().activeDatabaseKey())
        #expect(try legacy.keyring().remember(in: connection))
        #expect(try KeyringTable.database(connection) != nil)
        #expect(try !legacy.keyring().remember(in: connection))
    }
}
