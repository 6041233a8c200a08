/// A time in UTC, in the form for file names: `20260131T120000Z`.
package enum TimeStamp {
    /// Now according to the machine's clock.
    static var now: String { text(secondsSinceEpoch: Clock.microsecondsSinceEpoch / 1_000_000) }

    static func text(secondsSinceEpoch seconds: Int64) -> String {
        readable(secondsSinceEpoch: seconds).filter { $0 != "-" && $0 != ":" }
            .replacing(" ", with: "T")
    }

    /// The form for people: `2026-01-31 12:00:00Z`.
    package static func readable(secondsSinceEpoch seconds: Int64) -> String {
        let day = CalendarDay(secondsSinceEpoch: seconds)
        let second = seconds - day.secondsSinceEpoch
        let time = [second / 3600, second / 60 % 60, second % 60].map {
            $0 < 10 ? "0\($0)" : "\($0)"
        }
        return "\(day) \(time.joined(separator: ":"))Z"
    }

    /// Whether `text` has the form of a time stamp.
    static func isValid(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 16 && bytes[8] == UInt8(ascii: "T") && bytes[15] == UInt8(ascii: "Z")
            && (bytes[..<8] + bytes[9..<15]).allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
            }
    }
}
