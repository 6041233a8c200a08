import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// An older copy of a database or of its keyring, put back, and states that only look like one.
@Suite("The age of files and keyrings")
struct FreshnessCheckTests {
    private static let ring = [UInt8](repeating: 7, count: 16)

    /// The finding: `keyring` or `file`, whichever is older, `notice`, or nothing.
    private static func findings(
        epoch: UInt64, seen: UInt64?, key: KeyState = .active, isRotating: Bool = false, knowsAnother: Bool = false
    ) throws -> [String] {
        let check = FreshnessCheck(
            ring: ring, epoch: epoch,
            key: .init(kind: .database, version: 3, state: key, since: try Rings.day("2026-01-02")),
            isRotating: isRotating)
        var remembered: [[UInt8]: UInt64] = [:]
        if let seen { remembered[ring] = seen }
        if knowsAnother { remembered[[UInt8](repeating: 8, count: 16)] = 100 }
        return check.compare(remembered).findings.map { finding in
            guard finding.isFailure else { return "notice" }
            return finding.message.hasPrefix("the keyring is older") ? "keyring" : "file"
        }
    }

    @Test("Equal epochs pass, and different ones are reported, whichever is the older") func epochs() throws {
        for seen: UInt64 in [1, 2, 7, UInt64(Int64.max)] {
            #expect(try Self.findings(epoch: seen, seen: seen) == [])
            if seen > 1 { #expect(try Self.findings(epoch: seen - 1, seen: seen) == ["keyring"]) }
            #expect(try Self.findings(epoch: 1, seen: seen) == (seen == 1 ? [] : ["keyring"]))
            #expect(try Self.findings(epoch: seen + 1, seen: seen) == ["file"])
        }
        #expect(try Self.findings(epoch: 9, seen: 9, knowsAnother: true) == [])
    }

    @Test("Unknown epochs are worth a notice, and no failure")
    func unknown() throws {
        #expect(try Self.findings(epoch: 5, seen: nil) == ["notice"])
        #expect(try Self.findings(epoch: 5, seen: nil, knowsAnother: true) == ["notice"])
    }

    @Test(
        "A rotation under way explains a difference of one epoch, in its own direction",
        arguments: [
            // The old file: the keyring can be ahead by the version that records the new key.
            (KeyState.active, 4, []), (.active, 5, []), (.active, 6, ["file"]), (.active, 3, ["keyring"]),
            // The new file already knows of the version that activates the key.
            (.pending, 3, []), (.pending, 4, []), (.pending, 5, ["file"]), (.pending, 2, ["keyring"]),
        ] as [(KeyState, UInt64, [String])])
    func rotating(_ key: KeyState, _ epoch: UInt64, _ expected: [String]) throws {
        #expect(try Self.findings(epoch: epoch, seen: 4, key: key, isRotating: true) == expected)
    }

    @Test(
        "A file under a retired key is older, whatever it remembers",
        arguments: [KeyState.retired, .compromised])
    func keyOutOfUse(_ state: KeyState) throws {
        #expect(try Self.findings(epoch: 4, seen: 4, key: state) == ["file"])
        #expect(try Self.findings(epoch: 4, seen: 2, key: state) == ["file", "file"])
        #expect(try Self.findings(epoch: 4, seen: nil, key: state) == ["file", "notice"])
        #expect(try Self.findings(epoch: 5, seen: 4, key: state, isRotating: true) == ["file", "file"])
    }

    @Test(
        "A keyring that lists databases fails a file that knows neither its ring nor a former one")
    func listed() throws {
        let (former, id) = ([UInt8](repeating: 9, count: 16), [UInt8](repeating: 5, count: 16))
        func failures(_ remembered: [[UInt8]: UInt64], _ database: [UInt8]?) throws -> [Bool] {
            var check = FreshnessCheck(
                ring: Self.ring, epoch: 4,
                key: .init(kind: .database, version: 3, state: .active, since: try Rings.day("2026-01-02")),
                isRotating: false)
            check.formerRings = [former]
            check.keyVersions = [id: 1]
            return check.compare(remembered, database).findings.map(\.isFailure)
        }
        let foreign = [UInt8](repeating: 1, count: 16)
        #expect(try failures([Self.ring: 4], id) == [])
        #expect(try failures([Self.ring: 4, foreign: 9], id) == [])
        #expect(try failures([former: 3], id) == [false])
        #expect(try failures([former: 3, foreign: 1], id) == [false])
        #expect(try failures([:], id) == [true])
        #expect(try failures([foreign: 4], id) == [true])
        #expect(try failures([Self.ring: 4], foreign) == [true])
        #expect(try failures([Self.ring: 4], nil) == [true])
        #expect(try failures([:], nil) == [true, true])
    }

    // MARK: With files

    private let scratch: RotationScratch

    init() throws {
        scratch = try RotationScratch()
        try scratch.fill(rows: 20)
    }

    private func verify() throws -> VerificationReport.Outcome {
        let report = try Verification(scratch.path, sets: []).run(keyring: scratch.keyring())
        return try #require(report.outcomes.first { $0.check == .freshness })
    }

    /// The first finding of an outcome.
    private func first(_ outcome: VerificationReport.Outcome) throws -> String {
        try #require(outcome.findings.first).message
    }

    /// Writes the keyring once more, and records it in the database.
    private func change(remembering: Bool = true) throws {
        var keyring = try scratch.keyring()
        try scratch.file.save(&keyring)
        guard remembering else { return }
        try keyring.remember(in: Connection.open(scratch.path, key: keyring.databaseKey(for: scratch.path)))
    }

    @Test("A database file that was put back is found, and so is a keyring")
    func putBack() throws {
        #expect(try verify().findings == [])
        let (database, keyring) = (
            try Bytes.read(scratch.path), try Bytes.read(scratch.file.path)
        )
        // The log is checkpointed into the file first, or it would go into the older one.
        try change()
        let log = FilePath(scratch.path.string + "-wal")
        #expect(!FileAccess.exists(log))
        #expect(try verify().findings == [])
        let newer = try Bytes.read(scratch.path)
        try Bytes.write(database, to: scratch.path)
        #expect(try verify().hasFailed)
        #expect(try first(verify()).hasPrefix("the file is older than its keyring"))
        try Bytes.write(newer, to: scratch.path)
        try Bytes.write(keyring, to: scratch.file.path)
        #expect(try first(verify()).hasPrefix("the keyring is older than the file"))
        // Both are from the same time: that is the limit.
        try Bytes.write(database, to: scratch.path)
        #expect(try verify().findings == [])
    }

    @Test("Verifying writes nothing, even if the file knows of no keyring")
    func unknownFile() throws {
        let bare = try RotationScratch()
        // As created by a program that opens databases by their keys alone.
        do { _ = try Connection.create(bare.path, key: bare.keyring().keyOfNew(bare.path)) }
        let before = try Bytes.read(bare.path)
        let report = try Verification(bare.path, sets: []).run(keyring: bare.keyring())
        #expect(report.isClean)
        let freshness = try #require(report.outcomes.first { $0.check == .freshness })
        #expect(freshness.findings.map(\.isFailure) == [false])
        #expect(try first(freshness).contains("remembers no keyring"))
        #expect(try Bytes.read(bare.path) == before)
        #expect(try bare.databaseNames == ["data.db"])
    }

    @Test("A keyring with another ring is a notice until the database knows it")
    func otherRing() throws {
        var keyring = try scratch.keyring()
        try keyring.rotateRing()
        try keyring.addSlot("key-file", KeyFile.read(scratch.folder.file("my.key")))
        try scratch.file.save(&keyring)
        #expect(try !verify().hasFailed)
        #expect(try first(verify()).contains("does not know this keyring's ring"))
        try keyring.remember(in: Connection.open(scratch.path, key: keyring.activeDatabaseKey()))
        #expect(try verify().findings == [])
    }

    @Test("The file from before a rotation is verified under its retired key, and fails") func retired() throws {
        do {
            // Without a log, which would be another file's.
            let key = try scratch.keyring().activeDatabaseKey()
            try Connection.open(scratch.path, key: key).checkpoint(.truncate)
        }
        let old = try Bytes.read(scratch.path)
        try scratch.rotate()
        #expect(try verify().findings == [])
        try Bytes.write(old, to: scratch.path)
        let report = try Verification(scratch.path, sets: []).run(keyring: scratch.keyring())
        for outcome in report.outcomes where [.encryption, .pages, .integrity].contains(outcome.check) {
            #expect(!outcome.hasFailed)
        }
        let freshness = try #require(report.outcomes.first { $0.check == .freshness })
        #expect(freshness.findings.allSatisfy { $0.message.hasPrefix("the file is older") })
        #expect(try first(freshness).contains("database key 1, which was marked retired on"))
    }

    @Test("A damaged page fails this check with the others, and the run continues")
    func damaged() throws {
        do {
            let key = try scratch.keyring().activeDatabaseKey()
            try Connection.open(scratch.path, key: key).checkpoint(.truncate)
        }
        var bytes = try Bytes.read(scratch.path)
        bytes[1000] ^= 1
        try Bytes.write(bytes, to: scratch.path)
        let report = try Verification(scratch.path, sets: []).run(keyring: scratch.keyring())
        #expect(report.outcomes.filter(\.hasFailed).map(\.check).contains(.freshness))
        #expect(report.outcomes.last?.check == .keyring)
    }

    // MARK: Rotations

    @Test(
        "Unfinished rotations, however many, make neither older",
        arguments: [
            DatabaseKeyRotation.Reason.routine, .compromise,
        ])
    func aborted(_ reason: DatabaseKeyRotation.Reason) throws {
        for _ in 0..<4 {
            #expect(throws: Stop.self) { try scratch.rotate(reason) { _ in throw Stop() } }
            #expect(try verify().findings == [])
        }
        try scratch.rotate(reason)
        #expect(try verify().findings == [])
    }

    @Test("Interrupted after the exchange, with the keyring changed since: the next run ends it")
    func changedSince() throws {
        var pending: [UInt8] = []
        try scratch.rotate { _ in pending = try Bytes.read(scratch.file.path) }
        try Bytes.write(pending, to: scratch.file.path)
        #expect(try verify().findings == [])
        try change()
        #expect(try verify().findings == [])
        try change()
        #expect(try verify().findings == [])
        #expect(try scratch.rotate().copy == nil)
        #expect(try verify().findings == [])
        #expect(try scratch.states == [.retired, .active])
    }

    @Test("A file that never knew its keyring is rotated, and knows it from then on") func unknownBefore() throws {
        let bare = try RotationScratch()
        do { _ = try Connection.create(bare.path, key: bare.keyring().activeDatabaseKey()) }
        #expect(throws: Stop.self) { try bare.rotate { _ in throw Stop() } }
        try bare.rotate()
        let report = try Verification(bare.path, sets: []).run(keyring: bare.keyring())
        #expect(report.isClean, "\(report)")
        let freshness = report.outcomes.first { $0.check == .freshness }
        #expect(freshness?.findings.isEmpty == true, "\(report)")
    }

    @Test("Changes that were not recorded in the database end with the next rotation") func forgotten() throws {
        try change(remembering: false)
        try change(remembering: false)
        #expect(try verify().hasFailed)
        try scratch.rotate()
        #expect(try verify().findings == [])
    }

    @Test("With an older copy of the keyring nothing is rotated, and nothing changes") func outdated() throws {
        let old = try Bytes.read(scratch.file.path)
        try change()
        try Bytes.write(old, to: scratch.file.path)
        let before = try Bytes.read(scratch.path)
        Refusal.expect(.keyringOutdated) { try scratch.rotate() }
        #expect(try Bytes.read(scratch.file.path) == old)
        #expect(try Bytes.read(scratch.path) == before)
        #expect(try scratch.databaseNames == ["data.db"])
    }
}
