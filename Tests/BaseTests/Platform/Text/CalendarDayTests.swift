import Foundation
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct CalendarDayTests {
    @Test(
        "seconds fall on the days of the calendar",
        arguments: [
            (Int64(0), "1970-01-01"), (86_399, "1970-01-01"), (86_400, "1970-01-02"), (-1, "1969-12-31"),
            (-86_400, "1969-12-31"), (-86_401, "1969-12-30"), (68_169_600, "1972-02-29"), (68_256_000, "1972-03-01"),
            (951_782_400, "2000-02-29"), (951_868_800, "2000-03-01"), (4_107_456_000, "2100-02-28"),
            (4_107_542_400, "2100-03-01"),
            (1_709_164_800, "2024-02-29"), (1_735_689_599, "2024-12-31"),
            (1_735_689_600, "2025-01-01"), (253_402_300_799, "9999-12-31"),
            (-62_135_596_800, "0001-01-01"), (-62_167_219_200, "0000-01-01"),
        ])
    func fromSeconds(_ seconds: Int64, _ text: String) throws {
        let day = CalendarDay(secondsSinceEpoch: seconds)
        #expect(day.description == text)
        #expect(CalendarDay(text) == day)
    }

    @Test("every day of four centuries agrees with Foundation, and is later than the one before")
    func fourCenturies() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var previous = CalendarDay(secondsSinceEpoch: -86_400)
        for number in 0..<146_097 {
            let day = CalendarDay(secondsSinceEpoch: Int64(number) * 86_400 + 86_399)
            #expect(previous < day)
            #expect(!(day < previous) && day != previous)
            previous = day
            // Foundation is slow: one day in ten, and every February and March, are enough.
            guard number % 10 == 0 || day.month == 2 || (day.month == 3 && day.day == 1) else {
                continue
            }
            let parts = calendar.dateComponents(
                [.year, .month, .day],
                from: Date(timeIntervalSince1970: Double(number) * 86_400))
            try #require(
                (parts.year, parts.month, parts.day) == (day.year, day.month, day.day))
            try #require(CalendarDay(day.description) == day)
        }
        #expect(previous.description == "2369-12-31")
    }

    @Test(
        "days that the calendar has are read",
        arguments: [
            "2024-02-29", "2000-02-29", "2400-02-29", "2023-02-28", "2026-01-31", "2026-04-30",
            "2026-12-31", "0001-01-01", "9999-12-31",
        ])
    func valid(_ text: String) {
        #expect(CalendarDay(text)?.description == text)
    }

    @Test(
        "days that it does not have, and other spellings, are not",
        arguments: [
            "2023-02-29", "1900-02-29", "2100-02-29", "2024-02-30", "2026-04-31", "2026-06-31", "2026-09-31",
            "2026-11-31", "2026-01-32", "2026-00-10", "2026-13-10", "2026-10-00", "", "2026-1-1", "26-01-01",
            "2026/01/01", "2026-01-01 ", " 2026-01-01", "2026-01-01T", "20260101", "2026-01--1", "+026-01-01",
            "-026-01-01", "2026-0x-01", "２０２６-01-01", "2026-01-0\u{661}", "2026_01_01", "12026-01-01",
        ])
    func invalid(_ text: String) {
        #expect(CalendarDay(text) == nil)
    }

    @Test("days are ordered by year, then month, then day")
    func order() throws {
        let texts = ["1999-12-31", "2000-01-01", "2000-01-02", "2000-02-01", "2001-01-01"]
        let days = try texts.reversed().map { try #require(CalendarDay($0)) }
        #expect(days.sorted().map(\.description) == texts)
    }

    @Test("today is the day that the clock says")
    func today() {
        let before = CalendarDay(secondsSinceEpoch: Int64(Date().timeIntervalSince1970))
        let today = CalendarDay.today
        let after = CalendarDay(secondsSinceEpoch: Int64(Date().timeIntervalSince1970))
        #expect(before <= today && today <= after)
    }
}
