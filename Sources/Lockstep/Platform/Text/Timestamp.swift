/// A moment by the machine's clock, to the microsecond.
public struct Timestamp: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public let microsecondsSinceEpoch: Int64

    /// The moment that is this many microseconds after 1970-01-01T00:00:00Z.
    public init(microsecondsSinceEpoch: Int64) {
        self.microsecondsSinceEpoch = microsecondsSinceEpoch
    }

    init(secondsSinceEpoch seconds: Int64) {
        self.init(microsecondsSinceEpoch: seconds * 1_000_000)
    }

    static var now: Timestamp { Timestamp(microsecondsSinceEpoch: Clock.microsecondsSinceEpoch) }

    /// `2026-01-31T12:00:00.000000Z`, in UTC.
    public var description: String {
        "\(day)T\(clock.joined(separator: ":")).\(microseconds.padded(to: 6))Z"
    }

    /// Earlier moments come first.
    public static func < (one: Timestamp, other: Timestamp) -> Bool {
        one.microsecondsSinceEpoch < other.microsecondsSinceEpoch
    }

    /// The form for people: `2026-01-31 12:00:00Z`.
    package var readable: String { "\(day) \(clock.joined(separator: ":"))Z" }

    // MARK: File names

    /// The form for file names: `20260131T120000Z`, in UTC.
    var fileName: String { "\("\(day)".filter { $0 != "-" })T\(clock.joined())Z" }

    /// Whether `text` has the form of ``fileName``.
    static func isFileName(_ text: some StringProtocol) -> Bool {
        let bytes = Array(text.utf8)
        return bytes.count == 16 && bytes[8] == UInt8(ascii: "T") && bytes[15] == UInt8(ascii: "Z")
            && (bytes[..<8] + bytes[9..<15]).allSatisfy(\.isASCIIDigit)
    }

    // MARK: Parts

    private var microseconds: Int64 { (microsecondsSinceEpoch % 1_000_000 + 1_000_000) % 1_000_000 }
    private var seconds: Int64 { microsecondsSinceEpoch.floorDivided(by: 1_000_000) }
    private var day: CalendarDay { CalendarDay(secondsSinceEpoch: seconds) }

    /// Hour, minute and second.
    private var clock: [String] {
        let second = seconds - day.secondsSinceEpoch
        return [second / 3600, second / 60 % 60, second % 60].map { $0.padded(to: 2) }
    }
}
