#if Foundation
import Foundation
import TestSupport

@testable import Lockstep

/// A row whose value is read from any form.
struct FormedItem<Element: Codable & Sendable & Equatable>: Record, Equatable {
    static var table: String { "item" }
    static func dates(for column: String) -> DateColumns { FormCases.dates }

    var id: Int64
    var x: Element
    var note = 0
}

/// Values as some program could have stored them, in few distinct ones, so that many rows are equal or near.
enum FormCases {
    /// How columns of dates store them.
    @TaskLocal static var dates = DateColumns.iso8601

    private static func pick<Element>(_ all: [Element], _ random: inout SplitMix64) -> Element {
        all[Int.random(in: 0..<all.count, using: &random)]
    }

    static func date(_ random: inout SplitMix64) -> Value {
        let days = ["2026-11-23", "2026-11-24", "1999-12-31", "9999-12-31", "0000-01-01"]
        let clocks = ["00:00:00", "00:00:01", "08:00:00", "20:00:00", "20:00:01", "23:59:59"]
        let fractions = [
            "", ".0", ".5", ".500", ".123456", ".1234564", ".123456500", ".999999", ".9999999", ".000001", ".0000004",
        ]
        let day = pick(days, &random)
        guard Int.random(in: 0..<12, using: &random) > 0 else { return .text(day) }
        return .text(
            day + pick(["T", " "], &random) + pick(clocks, &random) + pick(fractions, &random)
                + pick(["Z", ""], &random))
    }

    static func uuid(_ random: inout SplitMix64) -> Value {
        let (start, middle) = (pick(["0", "9", "A", "F"], &random), pick(["0", "B"], &random))
        let text =
            "\(start)000000\(middle)-0000-4000-A000-00000000000\(pick(["1", "C"], &random))"
        return .text(Bool.random(using: &random) ? text : text.lowercased())
    }

    static func decimal(_ random: inout SplitMix64) -> Value {
        let numbers = ["0", "1", "1.5", "10", "150", "0.05", "1.51", "123456789012345678901234567890"]
        let number = pick(numbers, &random)
        let zeros = pick(["", "0", "000"], &random)
        let end = number.contains(".") || zeros.isEmpty ? zeros : "." + zeros
        return .text(
            pick(["", "-"], &random) + pick(["", "0", "00"], &random) + number + end)
    }

    static func url(_ random: inout SplitMix64) -> Value {
        let paths = ["straße", "stra%C3%9Fe", "a b", "a%20b", "a", "", "%zz", "ü/ü", "%C3%BC/ü", "A", "?q=%20", "?q= "]
        return .text(
            pick(["https://example.org/", "http://example.org/x/"], &random)
                + pick(paths, &random))
    }

    static func truth(_ random: inout SplitMix64) -> Value {
        .integer(pick([0, 0, 1, 1, 2, -1, 7], &random))
    }

    static func float(_ random: inout SplitMix64) -> Value {
        pick(
            [
                .real(0.1), .real(Double(Float(0.1))), .real(0.100_000_001_49), .real(-0.1),
                .real(0), .integer(5), .real(5), .real(5.000_000_1), .real(1e38),
                .real(16_777_217), .integer(16_777_216), .real(.infinity), .real(1e-44),
            ], &random)
    }

    static func seconds(_ random: inout SplitMix64) -> Value {
        pick(
            [
                .real(0.1), .integer(7), .real(7), .real(-0.3), .real(1_700_000_000.125),
                .real(1e11 + 0.3), .integer(4_102_444_800), .real(0.100_000_023_841_857_91),
            ], &random)
    }

    static func milliseconds(_ random: inout SplitMix64) -> Value {
        pick(
            [
                .integer(1_700_000_000_125), .real(1_700_000_000_124.7), .integer(0),
                .real(0.4), .integer(-1), .integer(10_000_000_000_000_003),
                .integer(10_000_000_000_000_004),
            ], &random)
    }

    static func microseconds(_ random: inout SplitMix64) -> Value {
        pick(
            [
                .integer(1_700_000_000_125_001), .integer(1_700_000_000_125_002),
                .real(1.7e15), .integer(0), .integer(9_000_000_000_000_001),
                .integer(9_000_000_000_000_003), .integer(-62_000_000_000_000_001),
            ], &random)
    }
}
#endif
