import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Rotation of one of several databases under a keyring")
struct SharedKeyringRotationTests {
    private let bound: BoundScratch
    private var scratch: RotationScratch { bound.scratch }
    private var second: FilePath { scratch.folder.file("second.db") }

    init() throws {
        bound = try BoundScratch()
        var keyring = try scratch.keyring()
        let connection = try Connection.create(second, key: keyring.activeDatabaseKey())
        try connection.execute("CREATE TABLE item (id INTEGER PRIMARY KEY)")
        try keyring.bind(connection, in: scratch.file)
    }

    private func rotateSecond(_ reason: DatabaseKeyRotation.Reason = .routine) throws -> KeyRotationReport {
        var keyring = try scratch.keyring()
        return try DatabaseKeyRotation(of: second, keyring: scratch.file, reason: reason)
            .run(&keyring)
    }

    private func age(_ path: FilePath) throws -> [VerificationReport.Finding] {
        try bound.age(path).findings.filter(\.isFailure)
    }

    @Test("The others open under their key until they are rotated themselves")
    func routine() throws {
        try scratch.rotate()
        try bound.open()
        try bound.open(second)
        #expect(try !bound.age(second).findings.contains { $0.message.contains("database key 1") })
        let report = try rotateSecond()
        #expect((report.oldVersion, report.newVersion) == (1, 3))
        #expect(try scratch.states == [.retired, .retired, .active])
        try bound.open()
        try bound.open(second)
        // And back to the first, which has the key between the two.
        #expect(try scratch.rotate().oldVersion == 2)
        #expect(try scratch.states == [.retired, .retired, .retired, .active])
        try bound.open()
        try bound.open(second)
    }

    @Test("A key that others may know is marked, and not the newer one of another database") func compromised() throws {
        try scratch.rotate()
        #expect(try rotateSecond(.compromise).oldVersion == 1)
        #expect(try scratch.states == [.compromised, .retired, .active])
        try bound.open()
        try bound.open(second)
    }

    @Test(
        "Who may know the key of one may know that of the other, which still opens and does not verify"
    )
    func compromisedFirst() throws {
        try scratch.rotate(.compromise)
        try bound.open(second)
        #expect(try age(second).map(\.message).contains { $0.contains("compromised") })
        #expect(try rotateSecond(.compromise).oldVersion == 1)
        #expect(try scratch.states == [.compromised, .retired, .active])
        #expect(try !age(second).map(\.message).contains { $0.contains("compromised") })
    }

    @Test("The old file of a rotated database is refused, although another one has its key") func oldFile() throws {
        let old = scratch.folder.file("old.db")
        try Bytes.write(Bytes.read(scratch.path), to: old)
        try scratch.rotate()
        try bound.open(second)
        Refusal.expect(.keyUnavailable) { try bound.open(old) }
        try Bytes.write(Bytes.read(old), to: scratch.path)
        Refusal.expect(.keyUnavailable) { try bound.open() }
        #expect(try age(scratch.path).map(\.message).contains { $0.contains("database key 1") })
        Refusal.expect(.keyUnavailable) { try scratch.rotate() }
        // Nobody has the key any more: it is refused before it is decrypted, as ever.
        _ = try rotateSecond()
        Refusal.expect(.keyUnavailable) { _ = try scratch.keyring().databaseKey(for: old) }
    }

    @Test("A key that another rotation gives up meanwhile is given to no file")
    func together() throws {
        var keyring = try scratch.keyring()
        var rounds = 0
        let report = try DatabaseKeyRotation(of: second, keyring: scratch.file).run(&keyring) { _ in
            rounds += 1
            if rounds == 1 { try scratch.rotate(.compromise) }
        }
        #expect(rounds > 1 && report.newVersion == 4)
        #expect(try scratch.states == [.compromised, .destroyed, .retired, .active])
        try bound.open()
        try bound.open(second)
    }

    @Test(
        "A rotation that another one's key would have become too old for begins again, or gives up")
    func restless() throws {
        let before = try Bytes.read(second)
        var keyring = try scratch.keyring()
        var last: UInt64?
        Refusal.expect(.busy) {
            try DatabaseKeyRotation(of: second, keyring: scratch.file).run(&keyring) { _ in
                let epoch = try scratch.keyring().epoch
                guard epoch != last else { return }
                try scratch.rotate(.compromise)
                last = try scratch.keyring().epoch
            }
        }
        #expect(try Bytes.read(second).count == before.count)
        try bound.open()
        try bound.open(second)
    }

    @Test("A file that has its pending key already keeps it, whatever becomes of another's")
    func replacedThenCompromised() throws {
        var keyring = try scratch.keyring()
        let version = try replaceSecond(&keyring)
        try scratch.rotate(.compromise)
        #expect(try scratch.states == [.compromised, .compromised, .active])
        try bound.open()
        try bound.open(second)
        let report = try rotateSecond(.compromise)
        #expect(report.oldVersion == version)
        try bound.open(second)
    }

    @Test("A key that others may know is replaced although another database cannot be read")
    func besideDamage() throws {
        var keyring = try scratch.keyring()
        try keyring.change(in: scratch.file) { _ = try $0.nextDatabaseKey(isFresh: false) }
        try Bytes.write(Array("short".utf8), to: second)
        try scratch.rotate(.compromise)
        // Whether the second had the pending key, nobody knows.
        #expect(try scratch.states == [.compromised, .compromised, .active])
        try bound.open()
    }

    /// A rotation up to the replaced file, with the key still pending.
    private func replaceSecond(_ keyring: inout Keyring) throws -> UInt32 {
        let key = try keyring.databaseKey(for: second)
        let change = try KeyChange.begin(second, key: key)
        var version: UInt32 = 0
        try keyring.change(in: scratch.file) { version = try $0.nextDatabaseKey(isFresh: false) }
        let new = try keyring.databaseKey(version: version)
        let copy = try change.amend(change.copy(from: key, to: new) { _ in }, key: new) {
            try keyring.remember(epoch: keyring.epoch + 1, in: $0)
        }
        try change.replace(with: copy)
        return version
    }

    @Test("A rotation that was interrupted after the file was replaced knows which key it replaced")
    func finished() throws {
        try scratch.rotate()
        var keyring = try scratch.keyring()
        let version = try replaceSecond(&keyring)
        try bound.open(second)
        let report = try rotateSecond(.compromise)
        #expect(report.copy == nil && report.oldVersion == 1 && report.newVersion == version)
        #expect(try scratch.states == [.compromised, .retired, .active])
        try bound.open()
        try bound.open(second)
    }
}
