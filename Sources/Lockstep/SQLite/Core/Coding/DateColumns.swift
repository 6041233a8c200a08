#if Foundation
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#endif

/// How a column stores dates.
///
/// A record says it for each of its columns, with ``Record/dates(for:)``. Whatever else a column holds is an error when
/// it is read: a number is never taken for another kind of date.
public enum DateColumns: Sendable, Hashable {
    /// A TEXT of one width, in UTC: `2026-11-23T02:13:20.123456Z`, which sorts as time. The forms that SQLite's
    /// functions and GRDB write, such as `2026-11-23 02:13:20.123` and `2026-11-23`, are read as UTC, and records
    /// compare them as the moments that they are.
    case iso8601
    /// A number of seconds since 1970-01-01 00:00 UTC, as `unixepoch()` gives it.
    case secondsSince1970
    /// An INTEGER of milliseconds since 1970.
    case millisecondsSince1970
    /// An INTEGER of microseconds since 1970.
    case microsecondsSince1970
    /// A number of seconds since 2001-01-01 00:00 UTC, as `Date` codes itself.
    case secondsSince2001

    /// What errors name.
    static let spellings = ".secondsSince1970, .millisecondsSince1970, .microsecondsSince1970 or .secondsSince2001"
}

#if Foundation
extension DateColumns {
    /// The moment of a number in the column's unit.
    private func date(_ number: Double) -> Date {
        switch self {
        case .iso8601, .secondsSince2001: Date(timeIntervalSinceReferenceDate: number)
        case .secondsSince1970: Date(timeIntervalSince1970: number)
        case .millisecondsSince1970: Date(timeIntervalSince1970: number / 1e3)
        case .microsecondsSince1970: Date(timeIntervalSince1970: number / 1e6)
        }
    }

    /// The value that the column stores; nil for a date that it cannot hold.
    func value(_ date: Date) -> Value? {
        func whole(_ scale: Double) -> Value? {
            Int64(exactly: (date.timeIntervalSince1970 * scale).rounded()).map(Value.integer)
        }
        guard date.timeIntervalSinceReferenceDate.isFinite else { return nil }
        switch self {
        case .iso8601: return DateText(date).map { .text($0.description) }
        case .secondsSince1970: return .real(date.timeIntervalSince1970)
        case .millisecondsSince1970: return whole(1e3)
        case .microsecondsSince1970: return whole(1e6)
        case .secondsSince2001: return .real(date.timeIntervalSinceReferenceDate)
        }
    }

    /// The date that a column of numbers holds; nil if that is not a number.
    func date(_ value: Value) -> Date? {
        switch value {
        case .integer(let number): date(Double(number))
        case .real(let number) where number.isFinite: date(number)
        default: nil
        }
    }
}
#endif
