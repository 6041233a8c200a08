import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Cells and tokens belong to a column that has an identity, or to a column's number.
struct CellOwnerTests {
    /// Examples of the article SealedCells: what another implementation made for a column with the identity `b0 … bf`.
    struct Example: Sendable, CustomTestStringConvertible {
        let mode: SealingMode
        let value: Value
        let cell: String

        var testDescription: String { "\(mode), \(value.typeName)" }
    }

    static let examples = [
        Example(
            mode: .random, value: .integer(-2),
            cell: "fc00000003404142434445464748494a4b4c4d4e4f50515253545556577addc11b"
                + "5cda5f831444d16a274a4cae85d5d70c990d000ca8"),
        Example(
            mode: .deterministic, value: .integer(-2),
            cell: "fd000000031f6588ce1d751c0cad1f6fa5bbafc0f03768c6518aff311548"),
        Example(
            mode: .random, value: .blob(Array("Dune".utf8)),
            cell: "fe00000003404142434445464748494a4b4c4d4e4f505152535455565754a0dd21"
                + "33c9b32a718ade69d4acd19ffea0345fd76b4482cc7c3efc05e84432c29434f5"
                + "250fa17d08710e8db3335e33a459d1a72b"),
    ]

    private static func article() throws -> String {
        let path = Programs.package.appending("Sources/Lockstep/Lockstep.docc/SealedCells.md")
        let text = try String(contentsOfFile: path.string, encoding: .utf8)
        return text.filter { !$0.isWhitespace }
    }

    private static func prefix(_ cell: [UInt8]) throws -> CellPrefix {
        let found = CellPrefix(cell.span)
        return try #require(found)
    }

    @Test("The article's cells of a column with an identity open", arguments: examples)
    func knownAnswer(_ example: Example) throws {
        let cell = try #require(Hex.decode(example.cell))
        let cipher = try CellWorkbench.cipher(
            identity: CellWorkbench.identity, mode: example.mode)
        #expect(try cipher.open(cell, at: .row(42)) == example.value)
        #expect(try Self.article().contains(example.cell))
    }

    @Test("The article's token of a column with an identity is what the library makes") func knownToken() throws {
        let index = try BlindIndex(
            column: 7, identity: CellWorkbench.identity, number: 1, [.casefold], bits: 16, keyVersion: 2)
        let hasher = try BlindIndexHasher(index, CellWorkbench.keys())
        #expect(try hasher.token([.text("Straße")]) == .integer(21036))
        #expect(try Self.article().contains(Hex.encode(index.info)))
    }

    @Test("A token of one column is not that of another, whatever their numbers")
    func tokens() throws {
        let keys = try CellWorkbench.keys()
        let identities = [nil, CellWorkbench.identity, [UInt8](repeating: 1, count: 16)]
        let tokens = try identities.map { identity in
            try BlindIndexHasher(
                BlindIndex(column: 7, identity: identity, number: 1, [.exact], bits: 63, keyVersion: 2), keys
            ).token([.text("a")])
        }
        #expect(Set(tokens).count == identities.count)
        Refusal.expect(.misuse) {
            _ = try BlindIndex(column: 7, identity: [1], number: 1, [.exact], bits: 63, keyVersion: 2)
        }
    }

    @Test("A cell opens in no column of another identity", arguments: SealingMode.allCases)
    func otherIdentity(_ mode: SealingMode) throws {
        let one = try CellWorkbench.cipher(identity: CellWorkbench.identity, mode: mode)
        let other = try CellWorkbench.cipher(
            identity: [UInt8](repeating: 1, count: 16), mode: mode)
        let cell = try one.seal(.text("Laura"), at: .row(1))
        #expect(cell[0] == (mode == .random ? 0xFC : 0xFD))
        #expect(try one.open(cell, at: .row(1)) == .text("Laura"))
        Refusal.expect(.cellForged) { _ = try other.open(cell, at: .row(1)) }
        // The number does not matter.
        let renumbered = try CellWorkbench.cipher(column: 9, identity: CellWorkbench.identity, mode: mode)
        #expect(try renumbered.open(cell, at: .row(1)) == .text("Laura"))
    }

    @Test("A cell of the other binding version is refused by name", arguments: SealingMode.allCases)
    func otherVersion(_ mode: SealingMode) throws {
        let numbered = try CellWorkbench.cipher(mode: mode)
        let identified = try CellWorkbench.cipher(identity: CellWorkbench.identity, mode: mode)
        for (sealing, opening, name) in [
            (numbered, identified, "has the binding version 1, and its column 2"),
            (identified, numbered, "has the binding version 2, and its column 1"),
        ] {
            let values: [Value] = [.text("Laura"), .blob([UInt8](repeating: 1, count: 1 << 20 + 1))]
            for value in values {
                let cell = try sealing.seal(value, at: .row(1))
                let error = try #require(throws: LockstepError.self) {
                    _ = try opening.open(cell, at: .row(1))
                }
                #expect(error.code == .cellForged)
                #expect(error.message.contains(name), "\(error.message)")
                #expect(error.hint != nil)
                let prefix = try Self.prefix(cell)
                #expect(opening.hasOtherBinding(prefix))
                #expect(!sealing.hasOtherBinding(prefix))
            }
        }
    }

    @Test("While a column is resealed, both open", arguments: SealingMode.allCases)
    func both(_ mode: SealingMode) throws {
        let numbered = try CellWorkbench.cipher(mode: mode)
        let both = try CellWorkbench.cipher(identity: CellWorkbench.identity, opensNumbered: true, mode: mode)
        for value: Value in [.text("Laura"), .blob([UInt8](repeating: 1, count: 1 << 20 + 1))] {
            let old = try numbered.seal(value, at: .row(1))
            let new = try both.seal(value, at: .row(1))
            #expect(try both.open(old, at: .row(1)) == value)
            #expect(try both.open(new, at: .row(1)) == value)
            #expect(try both.isOld(Self.prefix(old)))
            #expect(try !both.isOld(Self.prefix(new)))
        }
        // Another column of the same number is another column.
        let eight = try CellWorkbench.cipher(column: 8, mode: mode).seal(.null, at: .row(1))
        Refusal.expect(.cellForged) { _ = try both.open(eight, at: .row(1)) }
    }

    @Test("The first byte says format and version, and no other byte begins a cell")
    func bytes() {
        let found = (0...UInt8.max).compactMap { byte in CellFormat.of(byte).map { (byte, $0) } }
        #expect(found.map(\.0) == [0xF9, 0xFA, 0xFB, 0xFC, 0xFD, 0xFE])
        for (byte, (format, version)) in found { #expect(format.byte(version) == byte) }
        #expect(found.map(\.1.version) == [.first, .first, .first, .second, .second, .second])
    }
}
