import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct KeyringDatabaseKeyTests {
    @Test("a keyring yields the same database key whenever it is opened")
    func stable() throws {
        let text = try Rings.text()
        #expect(try Rings.databaseKey(Rings.open(text)) == Rings.databaseKey(Rings.open(text)))
    }

    @Test("keyrings of one database that were made separately have different keys")
    func different() throws {
        let subject = Array(UInt8(0)..<16)
        let one = try Rings.make(subject: subject)
        let other = try Rings.make(subject: subject)
        #expect(try Rings.databaseKey(one) != Rings.databaseKey(other))
        #expect(try one.activeDatabaseKey().salt != other.activeDatabaseKey().salt)
    }

    @Test("a fields keyring opens no database file")
    func fieldsRing() throws {
        let ring = try Rings.make(.fields)
        Refusal.expect(.keyringMismatch) { _ = try ring.activeDatabaseKey() }
    }

    @Test("a database keyring holds no key that could read a cell")
    func noFieldKeys() throws {
        let ring = try Rings.make()
        for kind in [KeyKind.field, .index, .manifest] {
            Refusal.expect(.keyUnavailable) { _ = try ring.key(kind, version: 1) }
        }
        #expect(ring.summary.keys.map(\.kind) == [.database])
    }

    @Test("the summary of a keyring is that of its text, and shows no material")
    func summary() throws {
        let made = try Rings.make()
        let text = try made.encode(epoch: 3)
        let ring = try Rings.open(text)
        let summary = KeyringSummary(try KeyringParser.parse(text).document)
        #expect(summary.epoch == 3 && ring.summary.epoch == 3)
        #expect(summary.purpose == .database)
        #expect(summary.subjectID == ring.subjectID)
        #expect(summary.slots == ring.summary.slots)
        #expect(summary.keys == ring.summary.keys)
        #expect(summary.publisher == nil)
        let material = Base64.encode(Secrets.bytes(of: try ring.key(.database, version: 1)))
        #expect(!Bytes.contain(text, material))
    }
}
