import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What a database remembers of its keyring.
@Suite("Remembering a keyring")
struct KeyringMemoryTests {
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        _ = try scratch.create().path
    }

    /// A keyring in its file, which a key file opens.
    private func file(_ ring: borrowing Keyring) throws -> KeyringFile {
        let file = KeyringFile(scratch.folder.file("data.keyring"))
        try file.create(ring)
        return file
    }

    private func open(_ file: KeyringFile) throws -> Keyring {
        try file.open { _ in try Rings.keyFile() }
    }

    private func remembered() throws -> [[UInt8]: UInt64] {
        try KeyringTable.read(scratch.open()).epochs
    }

    @Test("A database that never remembered a keyring has no table for it")
    func nothing() throws {
        #expect(try remembered().isEmpty)
        #expect(try !EngineTables.exists(EngineTables.epochs, scratch.open()))
    }

    @Test("It remembers the ring and the epoch, and is written to only where that is new") func once() throws {
        let ring = try Rings.make()
        #expect(try ring.remember(in: scratch.open()))
        #expect(try remembered() == [ring.document.ringID: 1])
        let before = try scratch.bytes
        #expect(try !ring.remember(in: scratch.open()))
        #expect(try scratch.bytes == before)
    }

    @Test("Each version of the keyring is remembered in the place of the one before") func versions() throws {
        let file = try file(Rings.make())
        var ring = try open(file)
        let connection = try scratch.open()
        for epoch: UInt64 in 2...4 {
            try file.save(&ring)
            #expect(try ring.remember(in: connection))
            #expect(try KeyringTable.read(connection).epochs == [ring.document.ringID: epoch])
        }
    }

    @Test("An older copy of the keyring is refused, and nothing is written")
    func older() throws {
        let file = try file(Rings.make())
        let old = try open(file)
        var ring = try open(file)
        try file.save(&ring)
        try ring.remember(in: scratch.open())
        let before = try scratch.bytes
        let error = try #require(throws: LockstepError.self) {
            try old.remember(in: scratch.open())
        }
        #expect(error.code == .keyringOutdated)
        #expect(error.hint?.contains("rotateRing") == true)
        #expect(try scratch.bytes == before)
    }

    @Test("A new ring replaces the old one, whose copies are too old from then on")
    func newRing() throws {
        let file = try file(Rings.make())
        let old = try open(file)
        var ring = try open(file)
        try ring.remember(in: scratch.open())
        try ring.rotateRing()
        try ring.addSlot("file", Rings.keyFile())
        try file.save(&ring)
        try ring.remember(in: scratch.open())
        #expect(try remembered() == [old.document.ringID: 2, ring.document.ringID: 2])
        Refusal.expect(.keyringOutdated) { try old.remember(in: scratch.open()) }
        // The new one goes on alone.
        try file.save(&ring)
        try ring.remember(in: scratch.open())
        #expect(try remembered()[ring.document.ringID] == 3)
        #expect(try remembered()[old.document.ringID] == 3)
    }

    @Test("A ring that the database never knew is too old as well, if its replacement was seen")
    func unknownOldRing() throws {
        let file = try file(Rings.make())
        let old = try open(file)
        var ring = try open(file)
        try ring.rotateRing()
        try ring.addSlot("file", Rings.keyFile())
        try file.save(&ring)
        try ring.remember(in: scratch.open())
        Refusal.expect(.keyringOutdated) { try old.remember(in: scratch.open()) }
    }

    @Test("Killed before the database remembered a new ring, it remembers it later") func killedBetween() throws {
        let file = try file(Rings.make())
        let old = try open(file)
        try old.remember(in: scratch.open())
        do {
            var ring = try open(file)
            try ring.rotateRing()
            try ring.addSlot("file", Rings.keyFile())
            try file.save(&ring)
        }
        try open(file).remember(in: scratch.open())
        Refusal.expect(.keyringOutdated) { try old.remember(in: scratch.open()) }
    }

    @Test("A ring of another line, with a lower epoch, takes nothing away")
    func otherLine() throws {
        let file = try file(Rings.make())
        var ring = try open(file)
        for _ in 0..<5 { try file.save(&ring) }
        try ring.remember(in: scratch.open())
        let other = try Rings.make()
        try other.remember(in: scratch.open())
        #expect(try remembered() == [ring.document.ringID: 6, other.document.ringID: 1])
    }

    @Test("The greatest possible epoch is remembered")
    func greatest() throws {
        let ring = try Rings.make()
        try ring.remember(epoch: KeyringDocument.maximumEpoch, in: scratch.open())
        #expect(try remembered() == [ring.document.ringID: UInt64(Int64.max)])
        Refusal.expect(.keyringOutdated) { try ring.remember(in: scratch.open()) }
    }

    @Test("Another purpose's keyring, a connection that only reads, and a locked database") func refusals() throws {
        Refusal.expect(.keyringMismatch) { try Rings.make(.fields).remember(in: scratch.open()) }
        var options = ConnectionOptions()
        options.isQueryOnly = true
        let ring = try Rings.make()
        Refusal.expect(.readOnly) { try ring.remember(in: scratch.open(options)) }
        options = ConnectionOptions()
        options.busyTimeout = .zero
        let other = try scratch.open(options)
        try scratch.open().write { _ in
            Refusal.expect(.busy) { try ring.remember(in: other) }
        }
        #expect(try remembered().isEmpty)
        try ring.remember(in: other)
        // What is known already needs no write.
        options.isQueryOnly = true
        #expect(try !ring.remember(in: scratch.open(options)))
    }

    @Test("Inside a transaction that is rolled back it is not remembered")
    func transaction() throws {
        let ring = try Rings.make()
        let connection = try scratch.open()
        #expect(throws: Stop.self) {
            try connection.write { connection in
                #expect(try ring.remember(in: connection))
                throw Stop()
            }
        }
        #expect(try remembered().isEmpty)
        #expect(try connection.write { connection in try ring.remember(in: connection) })
        #expect(try remembered().count == 1)
    }

    @Test(
        "Rows that Lockstep did not write are refused, and not taken for something else",
        arguments: ["x'00', 1", "x'000102030405060708090a0b0c0d0e0f', 0", "zeroblob(16), -1"])
    func foreignRows(_ values: String) throws {
        let connection = try scratch.open()
        try connection.with(rights: .engine) {
            try KeyringTable.raise([], to: 1, connection)
            try connection.execute("INSERT INTO lockstep_keyring (ring, epoch) VALUES (\(verbatim: values))")
        }
        Refusal.expect(.tampered) { _ = try KeyringTable.read(connection).epochs }
        Refusal.expect(.tampered) { try Rings.make().remember(in: connection) }
    }

    @Test("The program's SQL and migrations read it, and cannot write it")
    func rights() throws {
        let ring = try Rings.make()
        let connection = try scratch.open()
        try ring.remember(in: connection)
        #expect(try connection.value("SELECT epoch FROM lockstep_keyring") == 1)
        for sql in [
            "UPDATE lockstep_keyring SET epoch = 0", "DELETE FROM lockstep_keyring",
            "DROP TABLE lockstep_keyring", "INSERT INTO lockstep_keyring VALUES (zeroblob(16), 9)",
        ] {
            Refusal.expect(.denied) { try connection.execute(SQL(verbatim: sql)) }
        }
        let set = try MigrationSet(
            name: "test", files: [(name: "0001_a.sql", content: "-- lockstep: up\nDROP TABLE lockstep_keyring;\n")])
        Refusal.expect(.migrationFailed) { _ = try Migrator(set).run(on: connection) }
        #expect(try remembered().count == 1)
    }

    @Test("It is not part of the schema that migrations make, whenever it was added")
    func schema() throws {
        let set = try MigrationSet(
            name: "test",
            files: [
                (name: "0001_a.sql", content: "-- lockstep: up\nCREATE TABLE a (x);\n"),
                (name: "0002_b.sql", content: "-- lockstep: up\nCREATE TABLE b (x);\n"),
            ])
        let ring = try Rings.make()
        do {
            let connection = try scratch.open()
            _ = try Migrator(set).run(.version(try #require(MigrationVersion("1"))), on: connection)
            try ring.remember(in: connection)
            _ = try Migrator(set).run(on: connection)
            #expect(try SchemaSnapshot(connection).differences(from: Self.fresh(set)).isEmpty)
        }
        let report = try Verification(scratch.path, sets: [set]).run(key: scratch.key())
        #expect(report.isClean, "\(report)")
    }

    private static func fresh(_ set: MigrationSet) throws -> SchemaSnapshot {
        let connection = try Connection.inMemory()
        _ = try Migrator(set).run(on: connection)
        return try SchemaSnapshot(connection)
    }
}
