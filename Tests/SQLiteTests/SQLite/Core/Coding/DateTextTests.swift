#if Foundation
import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Dates as text")
struct DateTextTests {
    private func date(_ text: String) -> Date? { DateText(text.utf8Span.span).map { Date($0) } }

    @Test(
        "Dates at the borders of days, years and of what text holds",
        arguments: [
            (0.0, "1970-01-01T00:00:00.000000Z"), (-0.000_001, "1969-12-31T23:59:59.999999Z"),
            (978_307_200, "2001-01-01T00:00:00.000000Z"), (951_782_400, "2000-02-29T00:00:00.000000Z"),
            (-2_203_891_200.5, "1900-02-28T23:59:59.500000Z"), (-62_167_219_200, "0000-01-01T00:00:00.000000Z"),
            (-62_135_596_800, "0001-01-01T00:00:00.000000Z"), (253_402_300_799, "9999-12-31T23:59:59.000000Z"),
            (1_763_864_000.123_456, "2025-11-23T02:13:20.123456Z"),
        ])
    func borders(seconds: Double, text: String) throws {
        let written = try #require(DateText(Date(timeIntervalSince1970: seconds)))
        #expect(written.description == text)
        let read = try #require(date(text))
        #expect(abs(read.timeIntervalSince1970 - seconds) <= 5e-7)
    }

    @Test("A date that text cannot hold is none")
    func outOfRange() {
        for seconds in [
            -62_167_219_201.0, 253_402_300_800, 1e13, -1e300, .infinity, -.infinity, .nan,
        ] {
            #expect(DateText(Date(timeIntervalSince1970: seconds)) == nil)
        }
    }

    @Test("The last microsecond of 9999 is read as a date that can be written again") func lastMicrosecond() throws {
        let end = Date(timeIntervalSince1970: 253_402_300_800)
        for text in ["9999-12-31T23:59:59.999999Z", "9999-12-31 23:59:59.999999999", "9999-12-31T23:59:59.999990Z"] {
            let last = try #require(date(text))
            #expect(last < end)
            #expect(last.timeIntervalSince(end) > -1e-4)
            let written = try #require(DateText(last)).description
            #expect(written.hasPrefix("9999-12-31T23:59:59.9999"))
            #expect(date(written) == last)
        }
        #expect(DateText(end) == nil)
    }

    @Test("The forms of SQLite and GRDB are read as UTC")
    func otherForms() {
        let start = Date(timeIntervalSince1970: 1_763_864_000)
        for text in [
            "2025-11-23 02:13:20", "2025-11-23T02:13:20", "2025-11-23 02:13:20Z",
            "2025-11-23T02:13:20Z", "2025-11-23 02:13:20.0", "2025-11-23T02:13:20.000000000Z",
        ] {
            #expect(date(text) == start, "\(text)")
        }
        #expect(date("2025-11-23 02:13:20.125") == start.addingTimeInterval(0.125))
        #expect(date("2025-11-23") == start.addingTimeInterval(-8000))
        #expect(date("2024-02-29")?.timeIntervalSince1970 == 1_709_164_800)
    }

    @Test(
        "What is not a date, and a day or time that does not exist, is refused",
        arguments: [
            "", "2025", "2025-11", "2025-11-2", "2025-11-23T", "2025-11-23 02:13",
            "2025-11-23 02:13:2", "2025-11-23 02:13:20.", "2025-11-23 02:13:20.1234567890",
            "2025-11-23 02:13:20+00:00", "2025-11-23x02:13:20", "2025/11/23",
            "25-11-23 02:13:20",
            "2025-11-23 02:13:20 ", " 2025-11-23", "2025-11-23Z", "2025-11-23 02:13:20.5 Z",
            "2025-02-29", "2025-02-30", "2024-02-30", "1900-02-29", "2025-04-31", "2025-13-01",
            "2025-00-01", "2025-01-00", "2025-01-32", "2025-01-01 24:00:00",
            "2025-01-01 23:60:00", "2025-01-01 23:59:60", "2025-01-01 2x:59:59", "１025-01-01",
            "-025-01-01", "2025-01-01 -1:00:00", "1763864000",
        ])
    func refused(text: String) { #expect(date(text) == nil) }

    @Test("20,000 dates of all years come back within the precision of a date")
    func roundTrips() throws {
        var random = SplitMix64(state: 41)
        for _ in 0..<20_000 {
            let before = Date(timeIntervalSince1970: .random(in: -62_167_219_200...253_402_300_799, using: &random))
            let text = try #require(DateText(before)).description
            let after = try #require(date(text))
            let precision = before.timeIntervalSinceReferenceDate.ulp
            #expect(abs(after.timeIntervalSince(before)) <= 5e-7 + precision, "\(text)")
            #expect(text.utf8.count == DateText.length)
        }
    }

    @Test("Texts sort as their dates do")
    func order() throws {
        var random = SplitMix64(state: 42)
        let dates = (0..<2000).map { _ in
            Date(timeIntervalSince1970: .random(in: -3e9...6e9, using: &random))
        }.sorted()
        let texts = try dates.map { try #require(DateText($0)).description }
        #expect(texts == texts.sorted())
    }
}
#endif
