import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// One step of damage to a keyring's text.
enum KeyringMutation: CaseIterable {
    case bit, byte, removed, inserted, repeatedRange, truncated, beheaded, spliced, exchangedRanges
    case lineSwap, lineRepeated, lineRemoved, lineOfOther, fieldOfOther, fieldRepeated, number, byteOfFormat

    /// `text` damaged once; `other` is another keyring to take pieces of.
    func apply(
        _ text: [UInt8], _ other: [UInt8], _ random: inout SplitMix64
    ) -> [UInt8] {
        guard text.count > 2, !other.isEmpty else { return other }
        var text = text
        let place = Int.random(in: 0..<text.count, using: &random)
        let end = Int.random(in: place...min(text.count, place + 200), using: &random)
        switch self {
        case .bit: text[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case .byte: text[place] = .random(in: 0...255, using: &random)
        case .removed: text.removeSubrange(place..<end)
        case .inserted:
            text.insert(.random(in: 0x20...0x7E, using: &random), at: place)
        case .repeatedRange: text.insert(contentsOf: Array(text[place..<end]), at: place)
        case .truncated: text.removeSubrange(place...)
        case .beheaded: text.removeSubrange(..<place)
        case .spliced:
            let from = Int.random(in: 0..<other.count, using: &random)
            text = Array(text[..<place] + other[from...])
        case .exchangedRanges:
            text = Array(text[place..<end] + text[..<place] + text[end...])
        case .byteOfFormat:
            let bytes = Array(" \n->=+/-0123456789".utf8)
            text[place] = bytes[Int.random(in: 0..<bytes.count, using: &random)]
        default: return inLines(text, other, &random)
        }
        return text
    }

    /// Damage that keeps lines whole, and so gets further into the parser.
    private func inLines(
        _ text: [UInt8], _ other: [UInt8], _ random: inout SplitMix64
    ) -> [UInt8] {
        var lines = Rings.lines(text)
        let others = Rings.lines(other)
        guard !lines.isEmpty, !others.isEmpty else { return text }
        let line = Int.random(in: 0..<lines.count, using: &random)
        let second = Int.random(in: 0..<lines.count, using: &random)
        let foreign = others[Int.random(in: 0..<others.count, using: &random)]
        switch self {
        case .lineSwap: lines.swapAt(line, second)
        case .lineRepeated: lines.insert(lines[line], at: second)
        case .lineRemoved: lines.remove(at: line)
        case .lineOfOther: lines[line] = foreign
        case .fieldOfOther: lines[line] = Self.exchanging(lines[line], foreign, &random)
        case .fieldRepeated: lines[line] = Self.exchanging(lines[line], lines[second], &random)
        default:
            let numbers = [
                "0", "1", "8", "14", "20", "21", "63", "64", "-1", "007", "4294967295",
                "4294967296",
                "9223372036854775807", "9223372036854775808", "18446744073709551616", "-", "",
            ]
            let number = numbers[Int.random(in: 0..<numbers.count, using: &random)]
            lines[line] = Self.exchanging(lines[line], number, &random)
        }
        return Rings.joined(lines)
    }

    /// `line` with one of its fields replaced by one of `source`'s.
    private static func exchanging(
        _ line: String, _ source: String, _ random: inout SplitMix64
    ) -> String {
        var fields = line.split(separator: " ", omittingEmptySubsequences: false)
        let sources = source.split(separator: " ", omittingEmptySubsequences: false)
        guard !fields.isEmpty, !sources.isEmpty else { return line }
        let field = Int.random(in: 0..<fields.count, using: &random)
        fields[field] = sources[Int.random(in: 0..<sources.count, using: &random)]
        return fields.joined(separator: " ")
    }
}
