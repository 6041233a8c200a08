// Normalisers
// ===========
//
// A normaliser converts a value before a blind index hashes it: one look-up finds all values that become the same
// bytes. A rule never changes, because all tokens would change with it. A better rule gets a new name, such as
// `casefold/2`; the names without a number are the first versions.
//
//   exact      any type  its payload in a cell (CellFormat.swift), but −0.0 becomes 0.0, as in SQL
//   lower      text      its UTF-8 with the bytes 41 … 5A (A to Z) replaced by 61 … 7A
//   casefold   text      UTF-8 of NFC(toCasefold(NFD(text))), by Unicode 15.0, with the full foldings (C and F of
//                        CaseFolding.txt, none of T). If a scalar of the text has the general category Cn in
//                        Unicode 15.0, the UTF-8 of the unchanged text
//   digits     text      only the bytes 30 … 39 (0 to 9) of its UTF-8
//   email      text      without the scalars U+0009 … U+000D and U+0020 at both ends, then as casefold
//   prefix-N   text      the first N scalars of casefold's result; N is 1 to 64
//   bucket-W   integer   floor(number ÷ W), 8 bytes, big-endian, two's complement
//              real      floor(number ÷ W), both steps in double precision, −0.0 as 0.0; 8 bytes, big-endian,
//                        IEEE 754. W is 1 to 2^53
//
// Numbers in names are decimal and have no leading zeros.
//
// These values have no entry, and so no token: NULL, any NaN (which is NULL in SQL), a text that leaves nothing under
// digits or email, and a text with fewer than N scalars under prefix-N. The empty text has an entry under exact, lower
// and casefold. Any other type is an error: without an entry, its row would never be found, and nobody would notice.

/// A rule that converts values before a blind index hashes them: one look-up finds all values that become the same.
///
/// Rules never change. The article *How sealed values are stored* specifies them in full.
public enum Normaliser: Sendable, Hashable {
    /// No change: only equal values match. For all types.
    case exact
    /// A to Z become a to z; nothing else changes. For text.
    case lower
    /// Ignores case, and whether `é` is one character or two: Unicode's full case folding, in NFC, by Unicode 15.0. For
    /// text.
    case casefold
    /// Keeps only 0 to 9, as for telephone numbers. For text; a string without digits is never found.
    case digits
    /// Ignores surrounding blanks and case. For text; an empty text is never found.
    case email
    /// Keeps only the first characters, 1 to 64 (Unicode scalars, after ``casefold``). For text; a shorter text is
    /// never found.
    case prefix(Int)
    /// Maps all numbers in an interval of this width, 1 to 2^53, to one value: for look-ups of ranges. For integers
    /// and reals.
    case bucket(Int64)

    static let prefixLengths = 1...64
    /// Doubles represent every integer up to this limit.
    static let bucketWidths: ClosedRange<Int64> = 1...9_007_199_254_740_992

    /// The rule with this name.
    /// - Throws: ``LockstepError/Code/misuse`` if there is none.
    public init(_ spelling: String) throws(LockstepError) {
        func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
            spelling.rest(after: name).flatMap { Number($0) }
        }
        let rule: Normaliser? =
            if let length: Int = number("prefix-") {
                .prefix(length)
            } else if let width: Int64 = number("bucket-") {
                .bucket(width)
            } else {
                [.exact, .lower, .casefold, .digits, .email].first { $0.spelling == spelling }
            }
        // Each rule has one spelling: `prefix-+3` and `prefix-03` are not valid.
        guard let rule, rule.spelling.utf8.elementsEqual(spelling.utf8) else {
            throw LockstepError(
                .misuse, "this version has no normaliser with this name",
                hint: "examples are exact, lower, casefold, digits, email, prefix-3 and bucket-10")
        }
        try rule.validate()
        self = rule
    }

    /// Its name, as in registries and in the derivation of keys.
    public var spelling: String {
        switch self {
        case .exact: "exact"
        case .lower: "lower"
        case .casefold: "casefold"
        case .digits: "digits"
        case .email: "email"
        case .prefix(let length): "prefix-\(length)"
        case .bucket(let width): "bucket-\(width)"
        }
    }

    /// - Throws: ``LockstepError/Code/misuse`` for an invalid length or width.
    func validate() throws(LockstepError) {
        switch self {
        case .prefix(let length) where !Self.prefixLengths.contains(length):
            throw LockstepError(.misuse, "a prefix has 1 to 64 characters, not \(length)")
        case .bucket(let width) where !Self.bucketWidths.contains(width):
            throw LockstepError(.misuse, "a bucket is 1 to 2^53 wide, not \(width)")
        default: break
        }
    }

    /// Whether it accepts values of this type.
    package func accepts(_ type: CellTag) -> Bool {
        switch self {
        case .exact: type != .null
        case .lower, .casefold, .digits, .email, .prefix: type == .text
        case .bucket: type == .integer || type == .real
        }
    }
}

extension Normaliser: CustomStringConvertible {
    /// Its name.
    public var description: String { spelling }
}
