import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Diagnosis")
struct DiagnosisTests {
    private let scratch: DatabaseScratch

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 500)
    }

    /// Examines the file, and checks that file and folder are unchanged.
    private func examine(
        key: UInt8 = 1, _ location: SourceLocation = #_sourceLocation
    ) throws -> Diagnosis {
        let before = try scratch.bytes
        let diagnosis = try Diagnosis.examine(scratch.path, key: scratch.key(key))
        #expect(try scratch.bytes == before, sourceLocation: location)
        #expect(try scratch.names == ["data.db"], sourceLocation: location)
        return diagnosis
    }

    @Test("An undamaged database fits its key, and no other")
    func whole() throws {
        #expect(try examine() == .keyFits(strayBytes: 0))
        #expect(try examine(key: 2) == .wrongKey)
    }

    @Test(
        "Damage on the first page is distinguished from damage on others",
        arguments: [16, 1000, 4031, 4095])
    func onePage(_ offset: Int) throws {
        let pages = try scratch.bytes.count / 4096
        try scratch.damage { $0[offset] ^= 1 }
        #expect(try examine() == .firstPageDamaged(saltDestroyed: false))
        #expect(try examine(key: 2) == .wrongKey)
        try scratch.damage { $0[offset] ^= 1 }
        for page in [2, pages] {
            try scratch.damage { $0[(page - 1) * 4096 + offset] ^= 1 }
            #expect(try examine() == .keyFits(strayBytes: 0))
        }
    }

    @Test("A destroyed salt is recognised, whether one bit or all of it is lost")
    func salt() throws {
        try scratch.damage { $0[7] ^= 1 }
        #expect(try examine() == .firstPageDamaged(saltDestroyed: true))
        #expect(try examine(key: 2) == .wrongKey)
        try scratch.damage { $0.replaceSubrange(0..<16, with: [UInt8](repeating: 0, count: 16)) }
        #expect(try examine() == .firstPageDamaged(saltDestroyed: true))
        try scratch.damage {
            $0.replaceSubrange(0..<4096, with: [UInt8](repeating: 0, count: 4096))
        }
        #expect(try examine() == .firstPageDamaged(saltDestroyed: true))
    }

    @Test(
        "Bytes after the last page are reported, and so is a cut last page",
        arguments: [1, 2, 4095])
    func strayBytes(_ count: Int) throws {
        try scratch.damage { $0 += [UInt8](repeating: 1, count: count) }
        #expect(try examine() == .keyFits(strayBytes: count))
        try scratch.damage { $0.removeLast(4096 + count - 1) }
        #expect(try examine() == .keyFits(strayBytes: 1))
        try scratch.damage { $0.removeLast() }
        #expect(try examine() == .keyFits(strayBytes: 0))
    }

    @Test("A database of one page fits its key; damaged, it is still recognised as made under it")
    func single() throws {
        let small = try DatabaseScratch()
        _ = try small.create()
        #expect(try Diagnosis.examine(small.path, key: small.key()) == .keyFits(strayBytes: 0))
        #expect(try Diagnosis.examine(small.path, key: small.key(2)) == .wrongKey)
        try small.damage { $0[500] ^= 1 }
        #expect(try Diagnosis.examine(small.path, key: small.key()) == .destroyed)
        let error = try #require(throws: LockstepError.self) { _ = try small.open() }
        #expect(error.code == .damaged && error.message.contains("was encrypted with this key"))
    }

    @Test("With every page damaged, only the salt shows that the key is right")
    func everyPage() throws {
        try scratch.damage { bytes in
            for page in 0..<(bytes.count / 4096) { bytes[page * 4096 + 3000] ^= 1 }
        }
        #expect(try examine() == .destroyed)
        #expect(try examine(key: 2) == .wrongKey)
        try scratch.damage { $0[0] ^= 1 }
        #expect(try examine() == .wrongKey)
    }

    @Test("One page in a thousand that verifies is enough, if it is among those examined") func lastPageOnly() throws {
        try scratch.damage { bytes in
            for page in 0..<(bytes.count / 4096 - 1) { bytes[page * 4096 + 3000] ^= 1 }
        }
        #expect(try examine() == .firstPageDamaged(saltDestroyed: false))
    }

    @Test("Another database's file belongs to another key, even with this key's salt") func transplantedSalt() throws {
        try scratch.damage { $0.replaceSubrange(0..<16, with: DatabaseScratch.salt(2)) }
        #expect(try examine(key: 2) == .destroyed)
    }

    @Test("Findings that need no key are reported without one")
    func withoutKey() throws {
        try Diagnosis.requireDatabase(scratch.path)
        for (bytes, code) in [
            ([], LockstepError.Code.emptyDatabase), ([1, 2, 3], .truncated),
            (PlaintextDatabase.bytes, .plaintextDatabase), (Array(PlaintextDatabase.bytes.dropLast()), .truncated),
            ([UInt8](repeating: 1, count: 16) + PlaintextDatabase.bytes.dropFirst(16), .otherProduct),
        ] {
            try Bytes.write(bytes, to: scratch.path)
            let error = try #require(throws: LockstepError.self) {
                try Diagnosis.requireDatabase(scratch.path)
            }
            #expect(error.code == code && error.hint != nil)
        }
        let error = try #require(throws: LockstepError.self) {
            try Diagnosis.requireDatabase(scratch.folder.path)
        }
        #expect(error.code == .notAFile)
    }

    @Test("Only a file that fits has no error")
    func errors() {
        let path = FilePath("/x/data.db")
        #expect(Diagnosis.keyFits(strayBytes: 5).error(path) == nil)
        let codes: [(Diagnosis, LockstepError.Code)] = [
            (.empty, .emptyDatabase), (.truncated(bytes: 3), .truncated),
            (.plaintext(isCut: false), .plaintextDatabase), (.plaintext(isCut: true), .truncated),
            (.otherProduct, .otherProduct), (.firstPageDamaged(saltDestroyed: true), .damaged),
            (.firstPageDamaged(saltDestroyed: false), .damaged), (.destroyed, .damaged),
            (.olderSQLCipher(version: 3), .olderSQLCipher), (.wrongKey, .wrongKey),
        ]
        for (diagnosis, code) in codes {
            let error = diagnosis.error(path)
            #expect(error?.code == code && error?.hint != nil)
            #expect(error?.message.contains("/x/data.db") == true)
        }
    }
}
