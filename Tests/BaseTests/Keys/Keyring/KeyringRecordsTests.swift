import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What keyrings remember of databases and of their former rings: format 4. The malformed
/// keyrings of the categories `records` and `remembered` cover the form of the lines.
struct KeyringRecordsTests {
    private func magic(_ ring: borrowing Keyring) throws -> String {
        Rings.lines(try ring.encode(epoch: 1))[0]
    }

    @Test(
        "A keyring is of format 1 until it has something to remember, and of format 4 from then on")
    func formats() throws {
        var database = try Rings.make()
        #expect(try magic(database) == "lockstep-keyring/1")
        try database.list(DatabaseRecord(database: Records.id(3), keyVersion: 1))
        #expect(try magic(database) == "lockstep-keyring/4")
        var fields = try Rings.make(.fields)
        #expect(try magic(fields) == "lockstep-keyring/1")
        try fields.remember(Records.sealed(Records.id(3)))
        #expect(try magic(fields) == "lockstep-keyring/4")
        var rotated = try Rings.make()
        try rotated.rotateRing()
        try rotated.addSlot("file", Rings.keyFile())
        #expect(try magic(rotated) == "lockstep-keyring/4")
    }

    @Test("A keyring of format 1 is read, changed and written as format 1")
    func firstFormat() throws {
        let folder = try TemporaryFolder()
        let text = Array(KeyringFormatTests.databaseRing.utf8)
        let file = KeyringFile(try folder.write("old.keyring", text))
        var ring = try file.open { $0.kind == .keyFile ? try Rings.keyFile() : nil }
        #expect(ring.document.files.isEmpty)
        try ring.addKey(.database, state: .pending)
        try file.save(&ring)
        #expect(Rings.lines(try Bytes.read(file.path))[0] == "lockstep-keyring/1")
    }

    @Test("What is remembered is read as it was written, whatever characters names have") func roundTrip() throws {
        var ring = try Rings.make(.fields)
        let awkward = [
            ("movies", "title"), ("a.b", "c"), ("a", "b.c"), ("ü\u{301}", " "), ("%41", "%"),
            ("A", "\n"),
            ("\u{10FFFF}", "'\""), ("Movies", "title"),
        ]
        let records = [
            Records.sealed(Records.id(9), changes: UInt64(Int64.max), columns: awkward),
            Records.sealed(Records.id(1), changes: 1, columns: []), Records.sealed(Records.id(255), changes: 7),
        ]
        for record in records { try ring.remember(record) }
        let read = try Rings.open(ring.encode(epoch: 1)).sealedMemory
        #expect(read == ring.sealedMemory)
        #expect(read.records.map(\.database) == [Records.id(1), Records.id(9), Records.id(255)])
        for record in records { #expect(read.record(of: record.database) == record) }
        #expect(read.record(of: Records.id(2)) == nil)
        #expect(read.record(of: nil) == nil)
        #expect(Set(read.records[1].columns.map(\.table)) == Set(awkward.map(\.0)))
    }

    @Test("What is recorded of a database to open is read as it was written")
    func files() throws {
        var ring = try Rings.make()
        for number in UInt8(1)...4 { try ring.list(Records.file(Records.id(number), number)) }
        let read = try Rings.open(ring.encode(epoch: 1)).document.files
        #expect(read == (1...4).map { Records.file(Records.id($0), $0) })
        #expect(Set(read.map(\.path)).count == 4)
    }

    @Test("Another key or place of a database leaves what else is recorded of it") func listedAgain() throws {
        var ring = try Rings.make()
        try ring.list(Records.file(Records.id(3), 3))
        let key = try Records.key(7, of: Records.id(3))
        try ring.list(Records.id(3), under: key)
        var expected = DatabaseRecord(
            database: Records.id(3), keyVersion: 7, salt: Records.id(77), seen: 2, path: "../Größe %/films-3.db",
            origin: Records.id(3))
        #expect(ring.document.files == [expected])
        try ring.list(Records.id(3), under: key, at: "/elsewhere.db")
        expected.path = "/elsewhere.db"
        #expect(ring.document.files == [expected])
        // The key of another database is not its own.
        try ring.list(Records.id(3), under: Records.key(7, of: Records.id(4)))
        expected.salt = nil
        #expect(ring.document.files == [expected])
    }

    @Test("A database has one line: the newest record")
    func replaced() throws {
        var fields = try Rings.make(.fields)
        for changes: UInt64 in [5, 6, 2] {
            try fields.remember(Records.sealed(Records.id(1), changes: changes))
            try fields.remember(Records.sealed(Records.id(2), changes: 1))
        }
        #expect(fields.sealedMemory.records.map(\.changes) == [2, 1])
        var database = try Rings.make()
        for version: UInt32 in [1, 4, .max] {
            try database.list(Records.id(1), under: Records.key(version), at: "../films.db")
        }
        #expect(database.document.files.map(\.keyVersion) == [.max])
        let newest = try database.lists(Records.id(1), under: Records.key(.max), at: "../films.db")
        let former = try database.lists(Records.id(1), under: Records.key(1), at: "../films.db")
        let own = try database.lists(Records.id(1), under: Records.key(.max, of: Records.id(1)), at: "../films.db")
        let elsewhere = try database.lists(Records.id(1), under: Records.key(.max), at: "films.db")
        #expect(newest && !former && !own && !elsewhere)
        try Rings.lines(database.encode(epoch: 1)).forEach { #expect(!$0.hasPrefix("sealed ")) }
    }

    @Test("Each purpose remembers its own: another one's is refused")
    func purposes() throws {
        var database = try Rings.make()
        var fields = try Rings.make(.fields)
        Refusal.expect(.keyringMismatch) {
            try database.remember(Records.sealed(Records.id(1)))
        }
        Refusal.expect(.keyringMismatch) {
            try fields.list(DatabaseRecord(database: Records.id(1), keyVersion: 1))
        }
        #expect(database.document.sealed.isEmpty && fields.document.files.isEmpty)
    }

    @Test("1024 databases are remembered, and one more is refused before anything is written") func most() throws {
        func id(_ number: Int) -> [UInt8] {
            [UInt8](repeating: 7, count: 14) + [UInt8(number >> 8), UInt8(number & 255)]
        }
        var fields = try Rings.make(.fields)
        var database = try Rings.make()
        for number in 0..<1024 {
            try fields.remember(Records.sealed(id(number), columns: [("t", "c")]))
            try database.list(DatabaseRecord(database: id(number), keyVersion: 1))
        }
        Refusal.expect(.keyringConflict) { try fields.remember(Records.sealed(id(2000))) }
        Refusal.expect(.keyringConflict) {
            try database.list(DatabaseRecord(database: id(2000), keyVersion: 1))
        }
        // A known one takes no room.
        try fields.remember(Records.sealed(id(500), changes: 9, columns: [("t", "c")]))
        #expect(try Rings.open(fields.encode(epoch: 1)).sealedMemory.records.count == 1024)
        #expect(try Rings.open(database.encode(epoch: 1)).document.files.count == 1024)
    }

    @Test("A keyring that would be too long to be read is not written")
    func tooLong() throws {
        let name = String(repeating: "n", count: 8000)
        let folder = try TemporaryFolder()
        let file = KeyringFile(folder.file("long.keyring"))
        var ring = try Rings.make(.fields)
        try file.create(ring)
        for number in UInt8(0)..<100 {
            try ring.remember(
                Records.sealed(
                    Records.id(number),
                    columns: (0..<10).map { ("\(name)\(number)", "\($0)") }))
        }
        let before = try Bytes.read(file.path)
        let error = try #require(throws: LockstepError.self) { try file.save(&ring) }
        #expect(error.code == .keyringConflict)
        #expect(error.hint != nil)
        #expect(try Bytes.read(file.path) == before)
    }

    @Test("A text of format 4 of 4,194,304 bytes is read, and one byte more is not") func maximumLength() throws {
        var ring = try Rings.make(.fields)
        try ring.remember(Records.sealed(Records.id(1), columns: [("t", "c")]))
        let text = try ring.encode(epoch: 1)
        let holder = try RingKeyHolder(text)
        let lines = Array(Rings.lines(text).dropLast())
        // The last line is that of the database's one column, of which only the name is known; it fills the file.
        func filled(to count: Int) throws -> [UInt8] {
            let room = count - text.count
            return try holder.signed(lines.dropLast() + [lines[lines.count - 1] + String(repeating: "c", count: room)])
        }
        let full = try filled(to: 4_194_304)
        #expect(full.count == 4_194_304)
        #expect(try Rings.refusal(full) == nil)
        #expect(try Rings.refusal(filled(to: 4_194_305)) == .keyringMalformed)
    }

    // MARK: Examples

    /// The examples of a database keyring and of a fields keyring.
    private func examples() throws -> [[UInt8]] {
        let page = try Bytes.read(Programs.package.appending("Keys/README.md"))
        let blocks = String(decoding: page, as: UTF8.self).split(separator: "```\n")
            .filter { $0.hasPrefix("lockstep-keyring/4\n") }
        try #require(blocks.count == 2)
        return blocks.map { Array($0.utf8) }
    }

    private func openExample(_ text: [UInt8]) throws -> Keyring {
        try Keyring.open(text) { _ in try .keyFile(Secrets.make(Array(0x40...0x5F))) }
    }

    @Test("The examples of format 4 open, and hold what their text says")
    func fourthExamples() throws {
        let texts = try examples()
        let (first, second) = (Array(UInt8(0xC0)...0xCF), Array(UInt8(0xD0)...0xDF))
        let database = try openExample(texts[0])
        #expect(database.document.formerRings == [Array(0x80...0x8F)])
        #expect(
            database.document.files == [
                DatabaseRecord(
                    database: first, keyVersion: 2, salt: Array(0xF0...0xFF), seen: 3, path: "../films.db"),
                DatabaseRecord(database: second, keyVersion: 2, path: "/srv/archive 2026/films.db", origin: first),
            ])
        let key = try database.databaseKey(
            FileKey(entry: database.entry(of: 2), file: first, salt: Array(0xF0...0xFF)))
        #expect(
            Hex.encode(Secrets.bytes(of: key.secret))
                == "f1c8de2c4c0b0d125dfbead558499d1f6637646391d589923fd28e4390feea2d")
        #expect(key.salt == Array(0xF0...0xFF))
        let fields = try openExample(texts[1])
        let index = SealedRecord.Index(
            number: 1, name: "tïtre_exact_token", normaliser: "exact", bits: 24, keyVersion: 1)
        let columns = [
            SealedRecord.Column(
                "movies", "tïtre",
                SealedRecord.Definition(
                    number: 2, identity: Array(0x50...0x5F), mode: "deterministic", padding: 0,
                    state: "sealed", rowKey: nil, indexes: [index])),
            SealedRecord.Column(
                "movies", "title",
                SealedRecord.Definition(
                    number: 1, identity: nil, mode: "random", padding: 64, state: "sealed",
                    rowKey: "row id", indexes: [])),
        ]
        let expected = [
            SealedRecord(
                database: first, seen: 1, registry: Array(0x30...0x3F), changes: 3, code: Array(0xE0...0xFF),
                lowestKey: 1, columns: columns), SealedRecord(unsealed: second),
        ]
        #expect(fields.document.sealed == expected)
        // Each content has one spelling.
        for text in texts {
            let parsed = try KeyringParser.parse(text)
            #expect(parsed.document.text(mac: parsed.mac) == text)
        }
    }

    // MARK: Rings

    @Test("Changing the ring keeps what is remembered, and adds the former ring")
    func rotated() throws {
        var ring = try Rings.make()
        try ring.list(DatabaseRecord(database: Records.id(1), keyVersion: 1))
        var rings: [[UInt8]] = []
        for _ in 0..<3 {
            rings.append(ring.document.ringID)
            try ring.rotateRing()
        }
        try ring.addSlot("file", Rings.keyFile())
        let read = try Rings.open(ring.encode(epoch: 4)).document
        #expect(read.formerRings == rings)
        #expect(read.files.map(\.database) == [Records.id(1)])
    }

    @Test("Beyond 64 former rings the oldest are dropped")
    func maximumRings() throws {
        var ring = try Rings.make()
        var rings: [[UInt8]] = []
        for _ in 0..<70 {
            rings.append(ring.document.ringID)
            try ring.rotateRing()
        }
        try ring.addSlot("file", Rings.keyFile())
        #expect(try Rings.open(ring.encode(epoch: 1)).document.formerRings == rings.suffix(64))
    }

    @Test("An issued keyring carries what its publisher's remembers, and none of its rings") func issued() throws {
        var publisher = try Rings.make(.fields)
        try publisher.remember(Records.sealed(Records.id(4), changes: 13))
        try publisher.rotateRing()
        try publisher.addSlot("file", Rings.keyFile())
        let identity = try Identity.generate()
        let text = try publisher.issue(to: identity.recipient)
            .encode(epoch: 1, signer: publisher.signingKey())
        var issued = try Keyring.open(text) { _ in try .identity(identity) }
        // No database has recorded its ring.
        let expected = SealedMemory(publisher.sealedMemory.records.map { $0.withEpoch(0) })
        #expect(expected != publisher.sealedMemory)
        #expect(issued.sealedMemory == expected)
        #expect(issued.document.formerRings.isEmpty)
        #expect(try issued.fieldKeys().memory == expected)
        // It is signed: nothing is added to it.
        try issued.remember(Records.sealed(Records.id(4), changes: 14))
        let changed = try Rings.Box(Keyring.open(text) { _ in try .identity(identity) })
        try changed.ring.remember(Records.sealed(Records.id(5)))
        Refusal.expect(.keyringConflict) { _ = try changed.ring.encode(epoch: 2) }
    }

    @Test(
        "An issued keyring carries the records of its customer's databases alone, which are named if there are several"
    )
    func issuedDatabases() throws {
        var publisher = try Rings.make(.fields)
        let recipient = try Identity.generate().recipient
        for id in [4, 5, 6] as [UInt8] {
            try publisher.remember(Records.sealed(Records.id(id), changes: 13))
        }
        Refusal.expect(.keyringConflict) { _ = try publisher.issue(to: recipient) }
        for ids in [[4], [4, 6], [4, 5, 6], []] as [[UInt8]] {
            let named = Set(ids.map { Records.id($0) })
            let issued = try publisher.issue(to: recipient, with: named)
            #expect(Set(issued.sealedMemory.records.map(\.database)) == named)
        }
        Refusal.expect(.keyringConflict) {
            _ = try publisher.issue(to: recipient, with: [Records.id(4), Records.id(9)])
        }
    }
}
