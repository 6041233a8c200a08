internal import Lockstep

/// Instants as people and other programs write them. Stores and their API represent an instant as the number of
/// microseconds since 1970 in UTC.
package enum Instant {
    /// Reads a date: `2012-08-28 20:35:00` in UTC or with `Z` or an offset such as `+08:00` or ` +0800`, with a `T`
    /// instead of the space, with a fraction of a second, or without a time; or `Tue Aug 28 20:35:00 +0800 2012`.
    /// Returns nil for anything else, and for days that do not exist.
    package static func microseconds(of text: String) -> Int64? {
        var date = DateText(text)
        return date.service() ?? date.iso()
    }

    /// `2012-08-28 20:35:00Z`; a fraction of a second is dropped.
    package static func text(_ microseconds: Int64) -> String {
        Timestamp(microsecondsSinceEpoch: microseconds).readable
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
        if take("Z") || place == bytes.count { return instant(year, month, day, time, 0) }
        let isParted = take(" ")
        let start = place
        var offset = self.offset(separator: true)
        if offset == nil, isParted {
            place = start
            offset = self.offset(separator: false)
        }
        guard let offset else { return nil }
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

    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    private struct Time {
        var seconds = 0
        var microseconds = 0
    }

    private func instant(
        _ year: Int, _ month: Int, _ day: Int, _ time: Time, _ offset: Int
    ) -> Int64? {
        guard place == bytes.count, let day = CalendarDay(year: year, month: month, day: day)
        else { return nil }
        let seconds = day.secondsSinceEpoch + Int64(time.seconds - offset)
        return seconds * 1_000_000 + Int64(time.microseconds)
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
            guard byte.isASCIIDigit else { return nil }
            number = number * 10 + Int(byte - UInt8(ascii: "0"))
        }
        place += count
        return number
    }
}
