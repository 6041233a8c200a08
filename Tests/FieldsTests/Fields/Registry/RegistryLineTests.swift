import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The states that a registry has had.
@Suite("The line of a registry's states")
struct RegistryLineTests {
    private static func code(_ number: UInt64) -> [UInt8] {
        Array(repeating: 0, count: 24) + number.bigEndianBytes
    }

    private static func line(_ states: UInt64) throws -> RegistryLine {
        var line = RegistryLine()
        for number in 1...states { try line.append(code(number)) }
        return line
    }

    @Test("Each state that came before has its place, and nothing else has one") func places() throws {
        let line = try Self.line(5)
        for number in 1...UInt64(5) {
            #expect(line.place(of: Self.code(number), number, before: 6) == .before)
            #expect(line.place(of: Self.code(number), number + 1, before: 6) == .elsewhere)
            #expect(line.place(of: Self.code(number + 1), number, before: 6) == .elsewhere)
        }
        for number in [0, 6, 7, .max] as [UInt64] {
            #expect(line.place(of: Self.code(5), number, before: 6) == .elsewhere)
        }
        #expect(line.folded == nil)
    }

    @Test("Beyond its limit the oldest are folded, and can only be said to have come before by a person")
    func folds() throws {
        let most = UInt64(RegistryLine.longest)
        let full = try Self.line(most)
        #expect(full.folded == nil && full.place(of: Self.code(1), 1, before: most + 1) == .before)
        var folding = full
        try folding.append(Self.code(most + 1))
        let first = folding.folded
        #expect(first?.count == 32 && folding.codes.count == full.codes.count)
        #expect(folding.place(of: Self.code(1), 1, before: most + 2) == .folded)
        #expect(folding.place(of: Self.code(2), 2, before: most + 2) == .before)
        try folding.append(Self.code(most + 2))
        #expect(folding.folded != first && folding.folded?.count == 32)
        #expect(RegistryLine(folding.codes, folded: folding.folded, of: most + 3) == folding)
    }

    @Test("A registry that was made again knows one state") func madeAgain() throws {
        var line = RegistryLine(lostBefore: 4)
        try line.append(Self.code(4))
        #expect(line.place(of: Self.code(4), 4, before: 5) == .before)
        #expect(line.place(of: Self.code(3), 3, before: 5) == .folded)
        #expect(RegistryLine(line.codes, folded: line.folded, of: 5) == line)
        var first = RegistryLine(lostBefore: 1)
        try first.append(Self.code(1))
        #expect(first == (try Self.line(1)))
    }

    @Test("One that is cut, longer than it can be, or longer than its limit is none") func impossible() throws {
        let three = try Self.line(3).codes
        #expect(RegistryLine(three, folded: nil, of: 4) != nil)
        #expect(RegistryLine(Array(three.dropLast()), folded: nil, of: 4) == nil)
        #expect(RegistryLine(Array(three.dropLast(32)), folded: nil, of: 4) == nil)
        #expect(RegistryLine(three + three, folded: nil, of: 4) == nil)
        #expect(RegistryLine([], folded: nil, of: 0) == nil)
        let folded = Self.code(9)
        #expect(RegistryLine(three, folded: folded, of: 5) != nil)
        #expect(RegistryLine(three, folded: folded, of: 4) == nil)
        #expect(RegistryLine(three, folded: Array(folded.dropLast()), of: 5) == nil)
        let most = [UInt8](repeating: 0, count: 32 * (RegistryLine.longest + 1))
        #expect(RegistryLine(most, folded: nil, of: UInt64(RegistryLine.longest) + 2) == nil)
    }
}
