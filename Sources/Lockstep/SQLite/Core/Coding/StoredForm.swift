#if Foundation
#if canImport(FoundationEssentials)
internal import FoundationEssentials
#else
internal import Foundation
#endif
#endif

/// The form in which a type writes its values, where it reads the same value from others, too: a UUID in lower case, a
/// date with a space in the place of the T.
///
/// Such values are compared in this form, in which each has exactly one: see ``read(_:)``.
enum StoredForm: Sendable, Hashable {
    /// A `Bool`: every integer but 0 is true.
    case truth
    /// A `Float`, which is the nearest to a REAL.
    case float
    /// A date as text.
    case date
    /// A date as a number.
    case moment(DateColumns)
    case uuid
    case decimal
    case url

    /// The types that have one, whatever their column is.
    enum Kind: Sendable {
        case truth, float, date, uuid, decimal, url
    }

    init?(_ kind: Kind, dates: DateColumns, uuids: UUIDColumns) {
        switch kind {
        case .truth: self = .truth
        case .float: self = .float
        case .date: self = dates == .iso8601 ? .date : .moment(dates)
        case .uuid where uuids == .blob: return nil
        case .uuid: self = .uuid
        case .decimal: self = .decimal
        case .url: self = .url
        }
    }

    /// The type of values that the directive `normalise` brings to one form; nil if it does not.
    var directive: String? {
        switch self {
        case .date: "date"
        case .uuid: "uuid"
        case .decimal: "decimal"
        case .url: "url"
        case .truth, .float, .moment: nil
        }
    }

    // MARK: In SQL

    /// SQL for what is read from a column, in the form in which it would be written; NULL for what is not read.
    func read(_ column: String) -> String {
        guard let function else {
            return "CASE typeof(\(column)) WHEN 'integer' THEN \(column) <> 0 END"
        }
        return "\(function)(\(column))"
    }

    /// SQL by which what is read from a column sorts.
    func order(_ column: String) -> String {
        self == .decimal ? "lockstep_decimal_order(\(column))" : read(column)
    }

    /// The function of every connection that computes it; nil if SQL has an expression for it.
    var function: String? { self == .truth ? nil : identifier }

    /// Its name in SQL.
    var identifier: String {
        switch self {
        case .truth: "lockstep_truth"
        case .float: "lockstep_float"
        case .date: "lockstep_date"
        case .moment(.secondsSince1970), .moment(.iso8601): "lockstep_seconds_1970"
        case .moment(.millisecondsSince1970): "lockstep_milliseconds_1970"
        case .moment(.microsecondsSince1970): "lockstep_microseconds_1970"
        case .moment(.secondsSince2001): "lockstep_seconds_2001"
        case .uuid: "lockstep_uuid"
        case .decimal: "lockstep_decimal"
        case .url: "lockstep_url"
        }
    }

    /// All that have a function.
    static let all: [StoredForm] =
        [.float, .date, .uuid] + foundations

    #if Foundation
    private static let foundations: [StoredForm] =
        [.decimal, .url]
        + [DateColumns.secondsSince1970, .millisecondsSince1970, .microsecondsSince1970, .secondsSince2001].map(
            StoredForm.moment)
    #else
    private static let foundations: [StoredForm] = []
    #endif

    // MARK: Values

    /// What is read from a value, in the form in which it would be written; nil if the value is not read.
    func canonical(_ value: Value) -> Value? {
        switch (self, value) {
        case (.truth, .integer(let number)): .integer(number == 0 ? 0 : 1)
        case (.float, .real(let number)): Float(nearest: number).map { .real(Double($0)) }
        case (.float, .integer(let number)): Float(exactly: number).map { .real(Double($0)) }
        case (.date, .text(let text)):
            DateText(text.utf8Span.span).flatMap { DateText(secondsSince2001: $0.secondsSince2001) }
                .map { .text($0.description) }
        case (.uuid, .text(let text)):
            UUIDText(text.utf8Span.span) == nil ? nil : .text(text.uppercased())
        #if Foundation
        case (.moment(let columns), .integer), (.moment(let columns), .real):
            columns.date(value).flatMap { columns.value($0) }
        case (.decimal, .text(let text)): Decimal.read(text).map { .text($0.description) }
        case (.url, .text(let text)): URL(string: text).map { .text($0.absoluteString) }
        #endif
        default: nil
        }
    }

    /// The stored values by which a blind index finds one: it knows no others that are read so.
    func alternatives(of written: Value) -> [Value] {
        switch (self, written) {
        case (.uuid, .text(let text)):
            let lower = text.lowercased()
            return lower == text ? [written] : [written, .text(lower)]
        case (.date, .text(let text)): return DateText.notations(of: text).map(Value.text)
        default: return [written]
        }
    }

    /// Whether a text is certainly in the form already: faster than to compute it.
    func isCanonical(_ text: Span<UInt8>) -> Bool {
        switch self {
        case .date: DateText.isCanonical(text)
        case .uuid: UUIDText(text) == .upper
        case .url: Self.isPlainURL(text)
        default: false
        }
    }

    /// Whether a text begins as a URL, and has no character that Foundation could replace by an escape.
    private static func isPlainURL(_ text: Span<UInt8>) -> Bool {
        guard text.count > 8, text.count < 2000 else { return false }
        for (place, byte) in zip(0..., "https://".utf8) where text[place] != byte { return false }
        var isHost = true
        for place in 8..<text.count {
            switch text[place] {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                continue
            case UInt8(ascii: "."), UInt8(ascii: "-"): continue
            case UInt8(ascii: "/"):
                if place == 8 { return false }
                isHost = false
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"), UInt8(ascii: "="),
                UInt8(ascii: "&"), UInt8(ascii: "?"):
                if isHost { return false }
            default: return false
            }
        }
        return true
    }
}

/// The cases in which a text writes a UUID: `E621E1F8-C36C-495A-93FC-0C247A3E6E5F`.
enum UUIDText {
    case upper, lower

    static let length = 36

    /// Nil for a text that is no UUID, or writes it in both cases.
    init?(_ text: Span<UInt8>) {
        guard text.count == Self.length else { return nil }
        var (hasUpper, hasLower) = (false, false)
        for place in 0..<Self.length {
            let byte = text[place]
            if place == 8 || place == 13 || place == 18 || place == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): continue
            case UInt8(ascii: "A")...UInt8(ascii: "F"): hasUpper = true
            case UInt8(ascii: "a")...UInt8(ascii: "f"): hasLower = true
            default: return nil
            }
        }
        guard !(hasUpper && hasLower) else { return nil }
        self = hasLower ? .lower : .upper
    }
}

extension StoredForm.Kind {
    /// The kind of a type, or of the raw values of one.
    init?(_ type: Any.Type) {
        if let raw = type as? any RawRepresentable.Type {
            self.init(rawValuesOf: raw)
        } else if type == Bool.self {
            self = .truth
        } else if type == Float.self {
            self = .float
        } else {
            #if Foundation
            if type == Date.self {
                self = .date
            } else if type == UUID.self {
                self = .uuid
            } else if type == Decimal.self {
                self = .decimal
            } else if type == URL.self {
                self = .url
            } else {
                return nil
            }
            #else
            return nil
            #endif
        }
    }

    private init?<Raw: RawRepresentable>(rawValuesOf _: Raw.Type) {
        self.init(Raw.RawValue.self)
    }
}
