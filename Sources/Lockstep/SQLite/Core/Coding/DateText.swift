/// A moment as text of one width: `2026-11-23T02:13:20.123456Z`.
///
/// This is not Foundation's formatter, which takes five to ten times as long and writes no microseconds.
struct DateText: CustomStringConvertible {
    static let length = 27
    private static let secondsTo2001: Int64 = 978_307_200
    /// The years 0 to 9999.
    private static let range: ClosedRange<Int64> = -62_167_219_200...253_402_300_799

    /// Seconds since 1970, rounded down.
    private let seconds: Int64
    private let nanoseconds: Int64

    /// The moment this many seconds after the beginning of 2001, to the microsecond; nil before the year 0 and after
    /// 9999.
    init?(secondsSince2001 time: Double) {
        guard time.magnitude < 1e12 else { return nil }
        let start = time.rounded(.down)
        var seconds = Int64(start) + Self.secondsTo2001
        var microseconds = Int64(((time - start) * 1e6).rounded())
        if microseconds == 1_000_000 { (seconds, microseconds) = (seconds + 1, 0) }
        guard Self.range.contains(seconds) else { return nil }
        self.seconds = seconds
        nanoseconds = microseconds * 1000
    }

    /// At the end of 9999, where a `Double` holds 30 microseconds at best, this does not become the year 10000, which
    /// no text holds.
    var secondsSince2001: Double {
        let end = Double(Self.range.upperBound + 1 - Self.secondsTo2001)
        let time = Double(seconds - Self.secondsTo2001) + Double(nanoseconds) / 1e9
        return min(time, end.nextDown)
    }

    // MARK: Writing

    var bytes: InlineArray<27, UInt8> {
        let day = CalendarDay(secondsSinceEpoch: seconds)
        let clock = Int(seconds - day.secondsSinceEpoch)
        var text = InlineArray<27, UInt8>(repeating: UInt8(ascii: "Z"))
        Self.put(day.year, 0..<4, &text)
        text[4] = UInt8(ascii: "-")
        Self.put(day.month, 5..<7, &text)
        text[7] = UInt8(ascii: "-")
        Self.put(day.day, 8..<10, &text)
        text[10] = UInt8(ascii: "T")
        Self.put(clock / 3600, 11..<13, &text)
        text[13] = UInt8(ascii: ":")
        Self.put(clock / 60 % 60, 14..<16, &text)
        text[16] = UInt8(ascii: ":")
        Self.put(clock % 60, 17..<19, &text)
        text[19] = UInt8(ascii: ".")
        Self.put(Int(nanoseconds / 1000), 20..<26, &text)
        return text
    }

    private static func put(_ number: Int, _ places: Range<Int>, _ text: inout InlineArray<27, UInt8>) {
        var rest = number
        var place = places.upperBound
        while place > places.lowerBound {
            place -= 1
            text[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    var description: String {
        let bytes = bytes
        return unsafe String(unsafeUninitializedCapacity: Self.length) { text in
            for place in 0..<Self.length { unsafe text[place] = bytes[place] }
            return Self.length
        }
    }

    // MARK: Reading

    /// Whether a text is a moment in the form that is written, of years in which a `Double` holds every microsecond:
    /// then it is read and written again as it is.
    static func isCanonical(_ text: Span<UInt8>) -> Bool {
        guard text.count == length, text[10] == UInt8(ascii: "T"), text[26] == UInt8(ascii: "Z"),
            let year = number(text, 0..<4), (1730...2270).contains(year)
        else { return false }
        return DateText(text) != nil
    }

    /// All texts that are read as the moment of one in the form that is written, to the microsecond.
    static func notations(of text: String) -> [String] {
        let bytes = Array(text.utf8)
        guard bytes.count == length else { return [text] }
        func part(_ places: Range<Int>) -> String { String(decoding: bytes[places], as: UTF8.self) }
        let (day, clock, digits) = (part(0..<10), part(11..<19), part(20..<26))
        let least = 6 - digits.reversed().prefix { $0 == "0" }.count
        var fractions = (max(least, 1)...9).map { count in
            "." + (digits + "000").prefix(count)
        }
        if least == 0 { fractions.append("") }
        let texts = ["T", " "].flatMap { separator in
            fractions.flatMap { [$0 + "Z", $0] }.map { day + separator + clock + $0 }
        }
        return clock == "00:00:00" && least == 0 ? texts + [day] : texts
    }

    /// Reads its own form and those of SQLite and GRDB: a space in the place of the T, no Z, up to nine digits of a
    /// fraction or none, and a day alone. Nil for any other text, and for a day or a time that does not exist.
    init?(_ text: Span<UInt8>) {
        guard text.count >= 10, text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
            let year = Self.number(text, 0..<4), let month = Self.number(text, 5..<7),
            let day = Self.number(text, 8..<10),
            let start = CalendarDay(year: year, month: month, day: day)?.secondsSinceEpoch
        else { return nil }
        guard text.count > 10 else {
            (seconds, nanoseconds) = (start, 0)
            return
        }
        guard text.count >= 19, text[10] == UInt8(ascii: "T") || text[10] == UInt8(ascii: " "),
            text[13] == UInt8(ascii: ":"), text[16] == UInt8(ascii: ":"), let hour = Self.number(text, 11..<13),
            hour < 24, let minute = Self.number(text, 14..<16), minute < 60, let second = Self.number(text, 17..<19),
            second < 60
        else { return nil }
        let end = text[text.count - 1] == UInt8(ascii: "Z") ? text.count - 1 : text.count
        guard let nanoseconds = Self.fraction(text, 19..<end) else { return nil }
        seconds = start + Int64(hour * 3600 + minute * 60 + second)
        self.nanoseconds = nanoseconds
    }

    /// The nanoseconds of a point and up to nine digits, or of nothing.
    private static func fraction(_ text: Span<UInt8>, _ places: Range<Int>) -> Int64? {
        guard let point = places.first else { return 0 }
        let digits = places.dropFirst()
        guard text[point] == UInt8(ascii: "."), (1...9).contains(digits.count),
            var number = number(text, digits)
        else { return nil }
        for _ in digits.count..<9 { number *= 10 }
        return Int64(number)
    }

    private static func number(_ text: Span<UInt8>, _ places: Range<Int>) -> Int? {
        var number = 0
        for place in places {
            guard text[place].isASCIIDigit else { return nil }
            number = number * 10 + Int(text[place] - UInt8(ascii: "0"))
        }
        return number
    }
}
