/// Instants as people and other programs write them. Stores and their API represent an instant as the number of
/// microseconds since 1970 in UTC.
package enum Instant {
    /// Reads a date: `2012-08-28 20:35:00` in UTC or with `Z` or an offset such as `+08:00`, with a `T` instead of the
    /// space, with a fraction of a second, or without a time; or `Tue Aug 28 20:35:00 +0800 2012`. Returns nil for
    /// anything else, and for days that do not exist.
    package static func microseconds(of text: String) -> Int64? {
        var date = DateText(text)
        return date.service() ?? date.iso()
    }

    /// `2012-08-28 20:35:00Z`; a fraction of a second is dropped.
    package static func text(_ microseconds: Int64) -> String {
        let seconds = floor(microseconds, 1_000_000)
        let days = floor(seconds, 86_400)
        let second = Int(seconds - days * 86_400)
        let time = [second / 3600, second / 60 % 60, second % 60].map { padded($0, 2) }
        return "\(day(days)) \(time.joined(separator: ":"))Z"
    }

    private static func floor(_ number: Int64, _ unit: Int64) -> Int64 {
        let (quotient, remainder) = number.quotientAndRemainder(dividingBy: unit)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// Howard Hinnant's civil_from_days: years begin in March, so that a leap day comes last.
    private static func day(_ days: Int64) -> String {
        let shifted = Int(days) + 719_468
        let era = Int(floor(Int64(shifted), 146_097))
        let day = shifted - era * 146_097
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365
        let dayOfYear = day - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let isEarly = month >= 10
        return "\(padded(year + era * 400 + (isEarly ? 1 : 0), 4))-"
            + "\(padded(isEarly ? month - 9 : month + 3, 2))-"
            + padded(dayOfYear - (153 * month + 2) / 5 + 1, 2)
    }

    /// Howard Hinnant's days_from_civil, for a valid date.
    fileprivate static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return year / 400 * 146_097 + year % 400 * 365 + year % 400 / 4 - year % 400 / 100
            + dayOfYear - 719_468
    }
}

/// A cursor over the text of a date.
private struct DateText {
    private let bytes: [UInt8]
    private var place = 0

    init(_ text: String) { bytes = Array(text.utf8) }

    /// `YYYY-MM-DD`, and a time and an offset, or neither.
    mutating func iso() -> Int64? {
        place = 0
        guard let year = number(4), take("-"), let month = number(2), take("-"),
            let day = number(2)
        else { return nil }
        if place == bytes.count { return instant(year, month, day, Time(), 0) }
        guard take("T") || take(" "), let time = time(hasFraction: true) else { return nil }
        var offset = 0
        if !take("Z"), place < bytes.count {
            guard let given = self.offset(separator: true) else { return nil }
            offset = given
        }
        return instant(year, month, day, time, offset)
    }

    /// `Tue Aug 28 20:35:00 +0800 2012`; the weekday is ignored.
    mutating func service() -> Int64? {
        place = 0
        guard bytes.count == 30, bytes[3] == UInt8(ascii: " ") else { return nil }
        place = 4
        let name = String(decoding: bytes[4..<7], as: UTF8.self)
        place = 7
        guard let month = Self.months.firstIndex(of: name), take(" "), let day = number(2),
            take(" "), let time = time(hasFraction: false), take(" "),
            let offset = offset(separator: false), take(" "), let year = number(4)
        else { return nil }
        return instant(year, month + 1, day, time, offset)
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private struct Time {
        var seconds = 0
        var microseconds = 0
    }

    private func instant(
        _ year: Int, _ month: Int, _ day: Int, _ time: Time, _ offset: Int
    ) -> Int64? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard place == bytes.count, lengths.indices.contains(month - 1),
            (1...lengths[month - 1]).contains(day)
        else { return nil }
        let seconds = Instant.days(year, month, day) * 86_400 + time.seconds - offset
        return Int64(seconds) * 1_000_000 + Int64(time.microseconds)
    }

    /// `HH:MM`, seconds and a fraction.
    private mutating func time(hasFraction: Bool) -> Time? {
        guard let hour = number(2), hour < 24, take(":"), let minute = number(2), minute < 60
        else { return nil }
        var time = Time(seconds: hour * 3600 + minute * 60)
        guard take(":") else { return hasFraction ? time : nil }
        guard let second = number(2), second < 60 else { return nil }
        time.seconds += second
        guard hasFraction, take(".") else { return time }
        var unit = 100_000
        let start = place
        while let digit = number(1) {
            time.microseconds += digit * unit
            unit /= 10
        }
        return place > start ? time : nil
    }

    /// `+HH:MM`, or `+HHMM` without the separator.
    private mutating func offset(separator: Bool) -> Int? {
        let sign = take("+") ? 1 : take("-") ? -1 : 0
        guard sign != 0, let hours = number(2), hours < 24, !separator || take(":"),
            let minutes = number(2), minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard place < bytes.count, bytes[place] == UInt8(ascii: character) else { return false }
        place += 1
        return true
    }

    private mutating func number(_ count: Int) -> Int? {
        guard place + count <= bytes.count else { return nil }
        var number = 0
        for byte in bytes[place..<(place + count)] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        place += count
        return number
    }
}
