import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Rules about the whole text rather than one line.
struct KeyringShapeTests {
    private let lines: [String]

    init() throws { lines = try Rings.rotatedLines() }

    @Test("a slot cannot occur twice, nor can two slots have one name")
    func duplicateSlots() throws {
        var twice = lines
        twice.insert(contentsOf: lines[2...3], at: 4)
        #expect(try Rings.refusal(twice) == .keyringMalformed)
        var named = lines
        named.insert(contentsOf: ["-> later file", "AAAA"], at: 4)
        #expect(try Rings.refusal(named) == .keyringMalformed)
    }

    @Test("a key version cannot occur twice")
    func duplicateKeys() throws {
        var twice = lines
        twice.insert(lines[4], at: 5)
        #expect(try Rings.refusal(twice) == .keyringMalformed)
        var renumbered = lines
        renumbered[4] = lines[4].replacing("key database 1", with: "key database 2")
        #expect(try Rings.refusal(renumbered) == .keyringMalformed)
    }

    @Test("exactly one key is active")
    func activeKeys() throws {
        var two = lines
        two[4] = lines[4].replacing("retired", with: "active")
        #expect(try Rings.refusal(two) == .keyringMalformed)
        var none = lines
        none[5] = lines[5].replacing("active", with: "retired")
        #expect(try Rings.refusal(none) == .keyringMalformed)
        var keyless = lines
        keyless.removeSubrange(4...5)
        #expect(try Rings.refusal(keyless) == .keyringMalformed)
    }

    @Test("a fields keyring needs an active key of each kind")
    func fieldsKeys() throws {
        let fields = Rings.lines(try Rings.text(.fields))
        #expect(try Rings.refusal(fields) == nil)
        for line in 4...5 {
            var fewer = fields
            fewer.remove(at: line)
            #expect(try Rings.refusal(fewer) == .keyringMalformed)
        }
        // Without a manifest key it would be an issued one, and nobody can turn it into one without the ring key.
        var fewer = fields
        fewer.remove(at: 6)
        #expect(try Rings.refusal(fewer) == .keyringTampered)
        var retired = fields
        retired[6] = retired[6].replacing("active", with: "retired")
        #expect(try Rings.refusal(retired) == .keyringMalformed)
    }

    @Test("lines cannot be removed, moved or repeated")
    func everyLine() throws {
        for line in lines.indices {
            var fewer = lines
            fewer.remove(at: line)
            #expect(try Rings.refusal(fewer) != nil, "without line \(line + 1)")
            var more = lines
            more.insert(lines[line], at: line)
            #expect(try Rings.refusal(more) == .keyringMalformed, "line \(line + 1) twice")
            for other in lines.indices where other < line {
                var swapped = lines
                swapped.swapAt(line, other)
                #expect(try Rings.refusal(swapped) != nil, "lines \(other + 1) and \(line + 1)")
            }
        }
    }

    @Test("a keyring without slots is refused")
    func noSlots() throws {
        var fewer = lines
        fewer.removeSubrange(2...3)
        #expect(try Rings.refusal(fewer) == .keyringMalformed)
    }

    @Test("1,024 keys are read, one more is refused")
    func maximumKeys() throws {
        let holder = try RingKeyHolder(Rings.joined(lines))
        let commitment = lines[4].split(separator: " ")[5]
        var many = Array(lines[..<6])
        for version in 3...1024 {
            many.append("key database \(version) destroyed 2026-01-01 \(commitment) -")
        }
        #expect(try Rings.open(holder.signed(many)).summary.keys.count == 1024)
        many.append("key database 1025 destroyed 2026-01-01 \(commitment) -")
        #expect(try Rings.refusal(holder.signed(many)) == .keyringMalformed)
    }

    @Test("a full keyring takes no more keys")
    func addingToFull() throws {
        var ring = try Rings.make()
        for _ in 2...1024 { try ring.addKey(.database, state: .pending) }
        #expect(try Rings.open(ring.encode(epoch: 1)).summary.keys.count == 1024)
        let code = try Refusal.code {
            try ring.addKey(.database, state: .pending)
            _ = try ring.encode(epoch: 1)
        }
        #expect(code == .keyringConflict)
    }

    @Test("a text of more than 256 KiB is refused before it is parsed")
    func size() throws {
        let magic = Array("lockstep-keyring/1\n".utf8)
        let text = magic + [UInt8](repeating: 0x0A, count: 262_145 - magic.count)
        do {
            _ = try Rings.open(text)
            Issue.record("it was read")
        } catch let error as LockstepError {
            #expect(error.code == .keyringMalformed)
            #expect(error.message.contains("256 KiB"))
        }
    }
}
