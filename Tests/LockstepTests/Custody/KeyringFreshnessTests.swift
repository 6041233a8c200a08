import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// A keyring that lists its databases, and databases that remember it: what opening, changing and `verify` make of one
/// of them that is older than the other, or has lost what it remembered.
@Suite("A keyring and a database that know each other")
struct KeyringFreshnessTests {
    private let bound: BoundScratch

    init() throws { bound = try BoundScratch() }

    // MARK: Binding

    @Test("Bound, each knows the other, and verifies without a word")
    func known() throws {
        let keyring = try bound.scratch.keyring()
        let content = try KeyringTable.read(bound.open())
        let id = try #require(content.database)
        #expect(keyring.document.files == [DatabaseRecord(database: id, keyVersion: 1)])
        #expect(content.epochs[keyring.document.ringID] == keyring.epoch)
        #expect(try bound.age().findings == [])
    }

    @Test("Bound again, nothing is written, neither to the file nor to the keyring")
    func again() throws {
        let before = (try Bytes.read(bound.scratch.path), try Bytes.read(bound.scratch.file.path))
        try bound.bind()
        #expect(try Bytes.read(bound.scratch.path) == before.0)
        #expect(try Bytes.read(bound.scratch.file.path) == before.1)
    }

    @Test("A connection that only reads binds nothing that is not bound")
    func readOnly() throws {
        let bare = try RotationScratch()
        try bare.fill(rows: 2, logged: 1)
        var keyring = try bare.keyring()
        try bare.file.save(&keyring)
        var options = ConnectionOptions()
        options.isQueryOnly = true
        let connection = try Connection.open(
            bare.path, key: keyring.databaseKey(), options: options)
        do {
            try keyring.bind(connection, in: bare.file)
            Issue.record("it was bound")
        } catch let error as LockstepError {
            #expect(error.code == .readOnly)
        }
        #expect(try bare.keyring().document.files.isEmpty)
    }

    // MARK: An older keyring

    @Test("An older copy of the keyring opens nothing, and a store neither")
    func older() throws {
        let old = try Bytes.read(bound.scratch.file.path)
        try bound.save()
        do { try bound.scratch.keyring().remember(in: bound.open()) }
        try Bytes.write(old, to: bound.scratch.file.path)
        let error = try #require(throws: LockstepError.self) { try bound.open() }
        #expect(error.code == .keyringOutdated)
        #expect(error.hint?.contains("newest copy") == true)
        Refusal.expect(.keyringOutdated) {
            _ = try Store.open(bound.scratch.path, key: bound.scratch.keyring().databaseKey())
        }
        Refusal.expect(.keyringOutdated) {
            var keyring = try bound.scratch.keyring()
            let connection = try Connection.open(
                bound.scratch.path, key: keyring.databaseKey(version: 1))
            try keyring.bind(connection, in: bound.scratch.file)
        }
        #expect(try bound.age().findings.first?.message.hasPrefix("the keyring is older") == true)
        #expect(try Bytes.read(bound.scratch.file.path) == old)
    }

    @Test(
        "A keyring that was changed without its database opens it: which of the two is older, verify reports"
    )
    func newer() throws {
        try bound.save()
        try bound.open()
        #expect(try bound.age().hasFailed)
    }

    // MARK: A database that has lost what it remembered

    static let losses = [
        "DROP TABLE lockstep_keyring", "DELETE FROM lockstep_keyring",
        "DELETE FROM lockstep_keyring WHERE ring <> zeroblob(16)",
        "UPDATE lockstep_keyring SET ring = randomblob(16) WHERE ring <> zeroblob(16)",
    ]

    @Test(
        "What it remembered is gone, or of a foreign ring: nothing opens it, and it fails",
        arguments: losses)
    func lost(_ sql: String) throws {
        try bound.tamper(sql)
        let before = try Bytes.read(bound.scratch.path)
        let error = try #require(throws: LockstepError.self) { try bound.open() }
        #expect(error.code == .tampered)
        #expect(error.hint != nil)
        Refusal.expect(.tampered) {
            _ = try Store.open(bound.scratch.path, key: bound.scratch.keyring().databaseKey())
        }
        let outcome = try bound.age()
        #expect(outcome.hasFailed)
        #expect(outcome.findings.contains { $0.message.contains("does not remember its keyring") })
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
        _ = try Connection.open(bare.path, key: bare.keyring().databaseKey())
        let report = try Verification(bare.path, sets: []).run(keyring: bare.keyring())
        let age = try #require(report.outcomes.first { $0.check == .age })
        #expect(!age.hasFailed && !age.findings.isEmpty)
    }

    @Test("Another id opens, and is worth a notice; none at all, too", arguments: [true, false])
    func otherID(_ isGone: Bool) throws {
        try bound.tamper(
            isGone
                ? "DELETE FROM lockstep_keyring WHERE ring = zeroblob(16)"
                : "UPDATE lockstep_keyring SET database = randomblob(16) WHERE ring = zeroblob(16)")
        try bound.open()
        let outcome = try bound.age()
        #expect(!outcome.hasFailed)
        #expect(outcome.findings.count == 1)
        #expect(
            try #require(outcome.findings.first).message.contains(
                isGone ? "no id" : "lists other databases"))
    }

    // MARK: Rings

    @Test(
        "A ring that took the place of the known one opens, until the database knows it; then the old one does not"
    )
    func formerRing() throws {
        let old = try Bytes.read(bound.scratch.file.path)
        for _ in 0..<3 { try bound.rotateRing() }
        try bound.open()
        let outcome = try bound.age()
        #expect(!outcome.hasFailed)
        #expect(outcome.findings.map(\.isFailure) == [false])
        let newest = try Bytes.read(bound.scratch.file.path)
        // Nobody has told the database yet: the old copy is no older than what it knows.
        try Bytes.write(old, to: bound.scratch.file.path)
        try bound.open()
        try Bytes.write(newest, to: bound.scratch.file.path)
        try bound.bind()
        #expect(try bound.age().findings == [])
        try Bytes.write(old, to: bound.scratch.file.path)
        Refusal.expect(.keyringOutdated) { try bound.open() }
    }

    @Test(
        "After more rings than a keyring lists, a database that was told of none of them is refused"
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

    private struct Stop: Error {}

    @Test(
        "A rotation that is interrupted anywhere leaves a database that opens, and the next one ends it",
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
        let active = try keyring.activeDatabaseKey().version
        #expect(keyring.document.files.map(\.keyVersion) == [active])
    }

    @Test(
        "Killed after the file was exchanged and before the keyring says so, it opens under the pending key"
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
