import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A keyring that lists its databases, and databases that remember it: how opening, changing and `verify` behave if one
/// of them is older than the other, or has lost its record.
@Suite("A keyring and a database that remember each other")
struct KeyringFreshnessTests {
    private let bound: BoundScratch

    init() throws { bound = try BoundScratch() }

    // MARK: Binding

    @Test("After binding, each knows the other, and verify reports nothing")
    func known() throws {
        let keyring = try bound.scratch.keyring()
        let content = try KeyringTable.read(bound.open())
        let id = try #require(content.database)
        // The version before the one that says so.
        let path = try bound.scratch.file.spelling(of: bound.scratch.path)
        #expect(
            keyring.document.files == [DatabaseRecord(database: id, keyVersion: 1, seen: keyring.epoch - 1, path: path)]
        )
        #expect(content.epochs[keyring.document.ringID] == keyring.epoch)
        #expect(try bound.age().findings == [])
    }

    @Test("A second binding writes nothing, neither to the file nor to the keyring")
    func again() throws {
        let before = (try Bytes.read(bound.scratch.path), try Bytes.read(bound.scratch.file.path))
        try bound.bind()
        #expect(try Bytes.read(bound.scratch.path) == before.0)
        #expect(try Bytes.read(bound.scratch.file.path) == before.1)
    }

    @Test("A read-only connection binds nothing")
    func readOnly() throws {
        let bare = try RotationScratch()
        try bare.fill(rows: 2, logged: 1)
        var keyring = try bare.keyring()
        try bare.file.save(&keyring)
        var options = ConnectionOptions()
        options.isQueryOnly = true
        let connection = try Connection.open(bare.path, key: keyring.activeDatabaseKey(), options: options)
        do {
            try keyring.bind(connection, in: bare.file)
            Issue.record("it was bound")
        } catch let error as LockstepError {
            #expect(error.code == .readOnly)
        }
        #expect(try bare.keyring().document.files.isEmpty)
    }

    // MARK: An older keyring

    @Test("An older copy of the keyring opens no database and no store")
    func older() throws {
        let old = try Bytes.read(bound.scratch.file.path)
        try bound.save()
        do { try bound.scratch.keyring().remember(in: bound.open()) }
        try Bytes.write(old, to: bound.scratch.file.path)
        let error = try #require(throws: LockstepError.self) { try bound.open() }
        #expect(error.code == .keyringOutdated)
        #expect(error.hint?.contains("newest copy") == true)
        Refusal.expect(.keyringOutdated) {
            _ = try Store.open(bound.scratch.path, rawKey: bound.scratch.keyring().activeDatabaseKey())
        }
        Refusal.expect(.keyringOutdated) {
            var keyring = try bound.scratch.keyring()
            let connection = try Connection.open(bound.scratch.path, key: keyring.databaseKey(version: 1))
            try keyring.bind(connection, in: bound.scratch.file)
        }
        #expect(try bound.age().findings.first?.message.hasPrefix("the keyring is older") == true)
        #expect(try Bytes.read(bound.scratch.file.path) == old)
    }

    @Test("A keyring changed without its database opens it, and alarms nobody")
    func newer() throws {
        let before = try Bytes.read(bound.scratch.path)
        for _ in 0..<3 {
            try bound.save()
            try bound.open()
            #expect(try bound.age().findings == [])
        }
        #expect(try Bytes.read(bound.scratch.path) == before)
    }

    // MARK: An older database

    @Test(
        "An older copy of the database is refused by opening and by verify, once a command has noted the newer one"
    )
    func olderDatabase() throws {
        let old = try Bytes.read(bound.scratch.path)
        try bound.save()
        // Nothing has noted anything: that is the limit.
        try bound.open()
        try bound.bind()
        #expect(try bound.age().findings == [])
        let newest = try Bytes.read(bound.scratch.path)
        try Bytes.write(old, to: bound.scratch.path)
        let error = try #require(throws: LockstepError.self) { try bound.open() }
        #expect(error.code == .databaseOutdated)
        #expect(error.hint?.contains("older copy") == true)
        Refusal.expect(.databaseOutdated) {
            _ = try Store.open(bound.scratch.path, rawKey: bound.scratch.keyring().activeDatabaseKey())
        }
        #expect(
            try bound.age().findings.first?.message.hasPrefix("the database is older") == true)
        #expect(try Bytes.read(bound.scratch.path) == old)
        try Bytes.write(newest, to: bound.scratch.path)
        try bound.open()
        // Its owner accepts it: it is bound again, under a key that asks nothing.
        try Bytes.write(old, to: bound.scratch.path)
        do {
            var keyring = try bound.scratch.keyring()
            try keyring.bind(
                Connection.open(bound.scratch.path, key: keyring.databaseKey(ofBackup: bound.scratch.path)),
                in: bound.scratch.file)
        }
        try bound.open()
        #expect(try bound.age().findings == [])
    }

    @Test(
        "After a change of the ring, an older database is found by what it recorded of the former ring"
    )
    func olderDatabaseOfFormerRing() throws {
        let old = try Bytes.read(bound.scratch.path)
        try bound.save()
        try bound.bind()
        try bound.rotateRing()
        try bound.open()
        try Bytes.write(old, to: bound.scratch.path)
        Refusal.expect(.databaseOutdated) { try bound.open() }
    }

    @Test("A copy elsewhere is older by its nature, and nothing is learnt from it")
    func olderCopy() throws {
        func set(_ role: FileRole) throws {
            let connection = try bound.open()
            try connection.with(rights: .engine) {
                try connection.write { connection in try KeyringTable.set(role, connection) }
            }
        }
        let copy = bound.scratch.folder.file("copy.db")
        try set(.copy)
        try Bytes.write(Bytes.read(bound.scratch.path), to: copy)
        try set(.original)
        try bound.save()
        try bound.bind()
        try bound.open(copy)
        try bound.save()
        let files = try bound.scratch.keyring().document.files
        do {
            var keyring = try bound.scratch.keyring()
            try keyring.bind(Connection.open(copy, key: keyring.databaseKey(for: copy)), in: bound.scratch.file)
        }
        #expect(try bound.scratch.keyring().document.files == files)
        try bound.open()
    }

    // MARK: Writing no more than needed

    @Test("Two databases of one keyring do not make each other's commands write it for ever")
    func twoDatabases() throws {
        let other = bound.scratch.folder.file("other.db")
        do {
            var keyring = try bound.scratch.keyring()
            try keyring.bind(Connection.create(other, key: keyring.activeDatabaseKey()), in: bound.scratch.file)
        }
        func settle() throws {
            for path in [bound.scratch.path, other, bound.scratch.path, other] {
                var keyring = try bound.scratch.keyring()
                let connection = try Connection.open(path, key: keyring.databaseKey(for: path))
                try keyring.settle(connection, in: bound.scratch.file)
                try connection.checkpoint(.truncate)
            }
        }
        func state() throws -> [[UInt8]] {
            try [bound.scratch.path, other, bound.scratch.file.path].map { try Bytes.read($0) }
        }
        try settle()
        let before = try state()
        try settle()
        #expect(try state() == before)
        // A change is noted once for each, and an older state of each is refused.
        let epoch = try bound.scratch.keyring().epoch
        try bound.save()
        try settle()
        #expect(try bound.scratch.keyring().epoch == epoch + 3)
        let seen = try bound.scratch.keyring().document.files.map(\.seen)
        #expect(seen.allSatisfy { $0 > epoch })
        let after = try state()
        try settle()
        #expect(try state() == after)
        for (path, old) in zip([bound.scratch.path, other], before) {
            try Bytes.write(old, to: path)
            Refusal.expect(.databaseOutdated) { try bound.open(path) }
        }
    }

    // MARK: A database that has lost its record

    static let losses = [
        "DROP TABLE lockstep_keyring", "DELETE FROM lockstep_keyring",
        "DELETE FROM lockstep_keyring WHERE ring <> zeroblob(16)",
        "UPDATE lockstep_keyring SET ring = randomblob(16) WHERE ring <> zeroblob(16)",
    ]

    @Test(
        "If the record is gone, or of a foreign ring, nothing opens the database, and verify fails",
        arguments: losses)
    func lost(_ sql: String) throws {
        try bound.tamper(sql)
        let before = try Bytes.read(bound.scratch.path)
        let error = try #require(throws: LockstepError.self) { try bound.open() }
        #expect(error.code == .tampered)
        #expect(error.hint != nil)
        Refusal.expect(.tampered) {
            _ = try Store.open(bound.scratch.path, rawKey: bound.scratch.keyring().activeDatabaseKey())
        }
        let outcome = try bound.age()
        #expect(outcome.hasFailed)
        #expect(outcome.findings.contains { $0.message.contains("has no record of its keyring") })
        #expect(try Bytes.read(bound.scratch.path) == before)
    }

    @Test("A keyring that lists nothing opens it as before, with a notice", arguments: losses)
    func lostUnbound(_ sql: String) throws {
        let bare = try RotationScratch()
        try bare.fill(rows: 2, logged: 1)
        do {
            let key = try bare.keyring().databaseKey(version: 1)
            let connection = try Connection.open(bare.path, key: key)
            try connection.with(rights: .engine) { try connection.execute(SQL(verbatim: sql)) }
        }
        _ = try Connection.open(bare.path, key: bare.keyring().activeDatabaseKey())
        let report = try Verification(bare.path, sets: []).run(keyring: bare.keyring())
        let age = try #require(report.outcomes.first { $0.check == .freshness })
        #expect(!age.hasFailed && !age.findings.isEmpty)
    }

    @Test(
        "A file with another identity, or none, is refused by opening and by verify",
        arguments: [true, false])
    func otherID(_ isGone: Bool) throws {
        try bound.tamper(
            isGone
                ? "DELETE FROM lockstep_keyring WHERE ring = zeroblob(16)"
                : "UPDATE lockstep_keyring SET database = randomblob(16) WHERE ring = zeroblob(16)")
        Refusal.expect(.unknownDatabase) { try bound.open() }
        let outcome = try bound.age()
        #expect(outcome.hasFailed)
        #expect(outcome.findings.count == 1)
        #expect(try #require(outcome.findings.first).message.contains(isGone ? "no identity" : "is not recorded there"))
    }

    // MARK: Rings

    @Test(
        "A replacement ring opens until the database knows it; then the old one does not"
    )
    func formerRing() throws {
        let old = try Bytes.read(bound.scratch.file.path)
        for _ in 0..<3 { try bound.rotateRing() }
        try bound.open()
        let outcome = try bound.age()
        #expect(!outcome.hasFailed)
        #expect(outcome.findings.map(\.isFailure) == [false])
        let newest = try Bytes.read(bound.scratch.file.path)
        // The database does not know yet: the old copy is no older than the database's record.
        try Bytes.write(old, to: bound.scratch.file.path)
        try bound.open()
        try Bytes.write(newest, to: bound.scratch.file.path)
        try bound.bind()
        #expect(try bound.age().findings == [])
        try Bytes.write(old, to: bound.scratch.file.path)
        Refusal.expect(.keyringOutdated) { try bound.open() }
    }

    @Test(
        "After more rings than a keyring lists, a database that knows none of them is refused"
    )
    func tooManyRings() throws {
        let standing = try Bytes.read(bound.scratch.path)
        for _ in 0..<KeyringDocument.maximumFormerRings { try bound.rotateRing() }
        try bound.open()
        try bound.rotateRing()
        Refusal.expect(.tampered) { try bound.open() }
        #expect(try Bytes.read(bound.scratch.path) == standing)
    }

    // MARK: Rotations of the key

    @Test(
        "After an interrupted rotation the database opens, and the next rotation completes it",
        arguments: 0..<4)
    func rotation(_ stop: Int) throws {
        var steps = 0
        do {
            try bound.scratch.rotate { _ in
                steps += 1
                if steps > stop { throw Stop() }
            }
        } catch is Stop {}
        try bound.open()
        #expect(try !bound.age().hasFailed)
        try bound.scratch.rotate()
        try bound.open()
        #expect(try bound.age().findings == [])
        let keyring = try bound.scratch.keyring()
        let active = try keyring.activeDatabaseKeyEntry().version
        #expect(keyring.document.files.map(\.keyVersion) == [active])
    }

    @Test(
        "Killed between replacing the file and updating the keyring, it opens under the pending key"
    )
    func pending() throws {
        var before: [UInt8] = []
        try bound.scratch.rotate { _ in before = try Bytes.read(bound.scratch.file.path) }
        try Bytes.write(before, to: bound.scratch.file.path)
        try bound.open()
        #expect(try bound.age().findings == [])
        try bound.scratch.rotate()
        #expect(try bound.age().findings == [])
        #expect(try bound.scratch.keyring().document.files.map(\.keyVersion) == [2])
    }
}
