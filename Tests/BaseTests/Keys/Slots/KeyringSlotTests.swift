import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct KeyringSlotTests {
    @Test(
        "a name is 1 to 32 of a-z, 0-9 and -",
        arguments: [
            "a", "0", "-", "my-laptop-2", String(repeating: "z", count: 32),
        ])
    func goodNames(_ name: String) throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot(name, Rings.keyFile())
        let opened = try Rings.open(try ring.encode(epoch: 1))
        #expect(opened.summary.slots.map(\.name) == [name])
    }

    @Test(
        "any other name is refused",
        arguments: [
            "", "A", "my laptop", "läptop", "a_b", "a.b", "a/b", "a\n", "a\0", "-> keyfile x",
            String(repeating: "z", count: 33),
        ])
    func badNames(_ name: String) throws {
        var ring = try Keyring.create(.database)
        Refusal.expect(.keyringConflict) { try ring.addSlot(name, Rings.keyFile()) }
        #expect(ring.summary.slots.isEmpty)
    }

    @Test(
        "a variable's name is letters, digits and _, no digit first",
        arguments: [
            "A", "_", "lower", "LOCKSTEP_KEY_2", String(repeating: "V", count: 128),
        ])
    func goodVariables(_ variable: String) throws {
        var ring = try Keyring.create(.database)
        try ring.addSlot("env", Rings.environment(variable))
        let opened = try Keyring.open(try ring.encode(epoch: 1)) { _ in
            try Rings.environment(variable)
        }
        #expect(opened.summary.slots.map(\.kind) == [.environment(variable: variable)])
    }

    @Test(
        "any other variable is refused",
        arguments: [
            "", "2A", "A B", "A=B", "A-B", "Ä", "A\n", "A\0", String(repeating: "V", count: 129),
        ])
    func badVariables(_ variable: String) throws {
        var ring = try Keyring.create(.database)
        Refusal.expect(.keyringConflict) {
            try ring.addSlot("env", Rings.environment(variable))
        }
        #expect(ring.summary.slots.isEmpty)
    }

    @Test("two slots cannot have one name, whatever their kinds")
    func duplicateName() throws {
        var ring = try Rings.make()
        Refusal.expect(.keyringConflict) { try ring.addSlot("file", Rings.keyFile(9)) }
        Refusal.expect(.keyringConflict) { try ring.addSlot("file", Rings.environment("KEY")) }
        #expect(ring.summary.slots.count == 1)
    }

    @Test("64 slots are held and read, one more is refused")
    func maximumSlots() throws {
        var ring = try Keyring.create(.database)
        for number in 1...64 { try ring.addSlot("slot-\(number)", Rings.keyFile(UInt8(number))) }
        Refusal.expect(.keyringConflict) { try ring.addSlot("slot-65", Rings.keyFile(65)) }
        let text = try ring.encode(epoch: 1)
        let opened = try Rings.open(text, fill: 64)
        #expect(opened.summary.slots.count == 64)

        var lines = Rings.lines(text)
        lines.insert(contentsOf: ["-> later extra", "AAAA"], at: 2)
        #expect(try Rings.refusal(lines) == .keyringMalformed)
    }

    @Test("Keys/README.md describes every kind of slot, in the order of the list")
    func readme() throws {
        let text = String(decoding: try Bytes.read(Programs.package.appending("Keys/README.md")), as: UTF8.self)
        let types = KeyringSlot.kinds.map { $0.type }
        let headers = text.split(separator: "\n").filter {
            $0.hasPrefix("    -> ") && !$0.hasPrefix("    -> <")
        }
        #expect(headers.map { String($0.dropFirst(7).prefix { $0 != " " }) } == types)
        let table = text.split(separator: "| Type | Secret | Slot secret | Slot salt |\n|---|---|---|---|\n")
        try #require(table.count == 2)
        let rows = table[1].split(separator: "\n", omittingEmptySubsequences: false).prefix {
            $0.hasPrefix("|")
        }
        #expect(rows.map { String($0.split(separator: "`")[1]) } == types)
    }

    @Test("one secret in two slots leaves nothing in common between their bodies")
    func freshSalts() throws {
        var ring = try Rings.make()
        try ring.addSlot("again", Rings.keyFile())
        let lines = Rings.lines(try ring.encode(epoch: 1))
        #expect(lines[2].split(separator: " ").last != lines[4].split(separator: " ").last)
        #expect(lines[3].prefix(40) != lines[5].prefix(40))
        #expect(lines[3].suffix(40) != lines[5].suffix(40))
    }

    @Test("a keyring of a fields purpose holds one active key of each kind")
    func fieldsRing() throws {
        let ring = try Rings.open(try Rings.text(.fields))
        let keys = ring.summary.keys
        #expect(keys.map(\.kind) == [.field, .index, .manifest])
        #expect(keys.allSatisfy { $0.version == 1 && $0.state == .active })
    }

    @Test("a subject is 16 bytes; none given, each keyring has one of its own")
    func subjects() throws {
        let subject = Array(UInt8(0)..<16)
        #expect(try Keyring.create(.database, subject: subject).subjectID == subject)
        let one = try Keyring.create(.database).subjectID
        let other = try Keyring.create(.database).subjectID
        #expect(one.count == 16 && one != other)
        for count in [0, 15, 17] {
            Refusal.expect(.misuse) {
                _ = try Keyring.create(.database, subject: [UInt8](repeating: 0, count: count))
            }
        }
    }
}
