/// A day of the Gregorian calendar in UTC.
public struct CalendarDay: Sendable, Hashable, Comparable, CustomStringConvertible {
    let year: Int
    let month: Int
    let day: Int

    /// Today according to the machine's clock.
    public static var today: CalendarDay {
        CalendarDay(secondsSinceEpoch: Clock.microsecondsSinceEpoch / 1_000_000)
    }

    package init(secondsSinceEpoch seconds: Int64) {
        // Howard Hinnant's civil_from_days: years begin in March, so that a leap day comes last.
        let days = Int(seconds.floorDivided(by: 86_400)) + 719_468
        let era = days.floorDivided(by: 146_097)
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * shifted + 2) / 5 + 1
        month = shifted < 10 ? shifted + 3 : shifted - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    }

    /// The day of a date; nil if there is none.
    package init?(year: Int, month: Int, day: Int) {
        let given = (year, month, day)
        self.init(secondsSinceEpoch: Self.seconds(year, month, day))
        // A month or day out of range is one of another month or year.
        guard (self.year, self.month, self.day) == given else { return nil }
    }

    /// Its first second.
    package var secondsSinceEpoch: Int64 { Self.seconds(year, month, day) }

    /// Howard Hinnant's days_from_civil, in seconds.
    private static func seconds(_ year: Int, _ month: Int, _ day: Int) -> Int64 {
        let year = month <= 2 ? year - 1 : year
        let era = year.floorDivided(by: 400)
        let yearOfEra = year - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return Int64(era * 146_097 + dayOfEra - 719_468) * 86_400
    }

    /// Parses `YYYY-MM-DD`; nil for any other text and for a day that does not exist.
    public init?(_ text: some StringProtocol) {
        let bytes = Array(text.utf8)
        let dash = UInt8(ascii: "-")
        guard bytes.count == 10, bytes[4] == dash, bytes[7] == dash else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            bytes[range].reduce(into: Optional(0)) { sum, byte in
                guard let so = sum, byte.isASCIIDigit else {
                    sum = nil
                    return
                }
                sum = so * 10 + Int(byte - UInt8(ascii: "0"))
            }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else {
            return nil
        }
        self.init(year: year, month: month, day: day)
    }

    /// `YYYY-MM-DD`.
    public var description: String {
        "\(year.padded(to: 4))-\(month.padded(to: 2))-\(day.padded(to: 2))"
    }

    /// Earlier days come first.
    public static func < (one: CalendarDay, other: CalendarDay) -> Bool {
        (one.year, one.month, one.day) < (other.year, other.month, other.day)
    }
}
