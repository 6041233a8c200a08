// Normalisers
// ===========
//
// What a value becomes before a blind index hashes it: values that become the same bytes are found by one look-up.
// A rule never changes, as all tokens would. A better one gets a new name, `casefold/2`; the names without a number
// are the first versions.
//
//   exact      any type  the payload that a cell has of it (CellFormat.swift), but −0.0 is 0.0, as in SQL
//   lower      text      its UTF-8 with the bytes 41 … 5A (A to Z) made 61 … 7A
//   casefold   text      UTF-8 of NFC(toCasefold(NFD(text))), by Unicode 15.0, with the full foldings (C and F of
//                        CaseFolding.txt, none of T). Where a scalar of the text has the general category Cn in
//                        Unicode 15.0, the UTF-8 of the text as it is
//   digits     text      the bytes 30 … 39 (0 to 9) of its UTF-8, and no others
//   email      text      without the scalars U+0009 … U+000D and U+0020 at both ends, then as casefold
//   prefix-N   text      the first N scalars of casefold's result; N is 1 to 64
//   bucket-W   integer, day, moment: floor(number ÷ W), 8 bytes, big-endian, two's complement
//              real      floor(number ÷ W), each of both steps in double precision, −0.0 as 0.0; 8 bytes, big-endian,
//                        IEEE 754. W is 1 to 2^53
//
// Numbers in names are decimal and do not begin with 0.
//
// No entry, and so no token, has what is NULL, any not-a-number (which SQL has as NULL), what leaves nothing under
// digits and email, and what has fewer than N scalars under prefix-N. The empty text has one under exact, lower and
// casefold. Any other type is an error: left without an entry, its row would never be found, and nobody would know.

/// What values become before a blind index hashes them: those that become the same are found by one look-up.
///
/// Rules never change; the article *How sealed values lie in a database* has them in full.
public enum Normaliser: Sendable, Hashable {
    /// Nothing: equal values alone are found. For all types.
    case exact
    /// A to Z become a to z, and nothing else changes. For text.
    case lower
    /// Differences of case do not count, nor whether `é` is one character or two: Unicode's full case folding, in
    /// NFC, by Unicode 15.0. For text.
    case casefold
    /// Only 0 to 9 count, as in telephone numbers. For text; one without digits is not found.
    case digits
    /// Blanks around it and differences of case do not count. For text; an empty one is not found.
    case email
    /// The first so many characters count (Unicode scalars, after ``casefold``), 1 to 64. For text; a shorter one
    /// is not found.
    case prefix(Int)
    /// Numbers count that lie in the same stretch of this width, 1 to 2^53: for looking up what lies between two.
    /// For integers, reals, days and moments, by their number.
    case bucket(Int64)

    static let prefixLengths = 1...64
    /// Up to where doubles have all whole numbers.
    static let bucketWidths: ClosedRange<Int64> = 1...9_007_199_254_740_992

    /// The rule of this name.
    /// - Throws: ``LockstepError/Code/misuse`` if there is none.
    public init(_ spelling: String) throws(LockstepError) {
        func number<Number: FixedWidthInteger>(_ name: String) -> Number? {
            spelling.hasPrefix(name) ? Number(spelling.dropFirst(name.count)) : nil
        }
        let rule: Normaliser? =
            if let length: Int = number("prefix-") {
                .prefix(length)
            } else if let width: Int64 = number("bucket-") {
                .bucket(width)
            } else {
                [.exact, .lower, .casefold, .digits, .email].first { $0.spelling == spelling }
            }
        // One spelling each: `prefix-+3` and `prefix-03` are none.
        guard let rule, rule.spelling.utf8.elementsEqual(spelling.utf8) else {
            throw LockstepError(
                .misuse, "there is no normaliser of this name, or this version does not know it",
                hint: "exact, lower, casefold, digits, email, prefix-3 and bucket-10 are some")
        }
        try rule.validate()
        self = rule
    }

    /// Its name, by which registries and keys know it.
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

    /// - Throws: ``LockstepError/Code/misuse`` for a length or a width that cannot be.
    func validate() throws(LockstepError) {
        switch self {
        case .prefix(let length) where !Self.prefixLengths.contains(length):
            throw LockstepError(.misuse, "a prefix has 1 to 64 characters, not \(length)")
        case .bucket(let width) where !Self.bucketWidths.contains(width):
            throw LockstepError(.misuse, "a bucket is 1 to 2^53 wide, not \(width)")
        default: break
        }
    }

    /// Whether it is for values of this type.
    package func accepts(_ type: CellTag) -> Bool {
        switch self {
        case .exact: type != .null
        case .lower, .casefold, .digits, .email, .prefix: type == .text
        case .bucket: [.integer, .real, .day, .instant].contains(type)
        }
    }
}

extension Normaliser: CustomStringConvertible {
    /// Its name.
    public var description: String { spelling }
}
