/// A piece of a passphrase that an attacker would try before random characters.
struct PassphrasePattern {
    enum Kind: Hashable {
        /// In the list of common passwords.
        case common
        /// A repetition of the text before it.
        case repetition
        /// Neighbors in the alphabet, among the digits or on the keyboard.
        case sequence
        /// Letters that could be a word, a number, or the space between words.
        case word
        case other
    }

    let kind: Kind
    /// The length in bytes.
    let length: Int
    /// The binary logarithm of the number of guesses that it takes.
    let bits: Double

    /// The longest pattern of each kind that begins at `index`.
    static func all(in bytes: Span<UInt8>, at index: Int) -> [PassphrasePattern] {
        [
            common(bytes, index), repetition(bytes, index), alphabet(bytes, index),
            keyboard(bytes, index), number(bytes, index), word(bytes, index),
        ].compactMap { $0 }
    }

    // MARK: Kinds

    private static func common(_ bytes: Span<UInt8>, _ index: Int) -> PassphrasePattern? {
        var longest = 0
        for word in CommonPasswords.all {
            let length = word.utf8CodeUnitCount
            guard length > longest, index + length <= bytes.count else { continue }
            let isThere = word.withUTF8Buffer { letters in
                letters.indices.allSatisfy { offset in
                    unsafe folded(bytes[index + offset], letters[offset])
                }
            }
            if isThere { longest = length }
        }
        // Includes a bit or two for capitals and for digits in place of letters.
        return longest == 0 ? nil : PassphrasePattern(kind: .common, length: longest, bits: 9)
    }

    /// Whether `byte` is this letter, its capital or a common substitute for it.
    private static func folded(_ byte: UInt8, _ letter: UInt8) -> Bool {
        if lowercase(byte) == letter { return true }
        return switch byte {
        case UInt8(ascii: "0"): letter == UInt8(ascii: "o")
        case UInt8(ascii: "1"), UInt8(ascii: "!"):
            letter == UInt8(ascii: "i") || letter == UInt8(ascii: "l")
        case UInt8(ascii: "3"): letter == UInt8(ascii: "e")
        case UInt8(ascii: "4"), UInt8(ascii: "@"): letter == UInt8(ascii: "a")
        case UInt8(ascii: "5"), UInt8(ascii: "$"): letter == UInt8(ascii: "s")
        case UInt8(ascii: "7"): letter == UInt8(ascii: "t")
        default: false
        }
    }

    private static func repetition(_ bytes: Span<UInt8>, _ index: Int) -> PassphrasePattern? {
        var longest = 0
        for start in 0..<index {
            var length = 0
            // It can overlap itself: one character many times.
            while index + length < bytes.count, bytes[start + length] == bytes[index + length] {
                length += 1
            }
            longest = max(longest, length)
        }
        guard longest >= 3 else { return nil }
        return PassphrasePattern(
            kind: .repetition, length: longest,
            bits: Logarithm.base2(Double(index)) + Logarithm.base2(Double(longest)))
    }

    private static func alphabet(_ bytes: Span<UInt8>, _ index: Int) -> PassphrasePattern? {
        func run(_ step: Int) -> Int {
            var length = 1
            while index + length < bytes.count, isAlphanumeric(bytes[index + length]),
                Int(bytes[index + length]) - Int(bytes[index + length - 1]) == step
            { length += 1 }
            return length
        }
        let length = isAlphanumeric(bytes[index]) ? max(run(1), run(-1)) : 0
        guard length >= 3 else { return nil }
        return PassphrasePattern(
            kind: .sequence, length: length, bits: 4 + Logarithm.base2(Double(length)))
    }

    /// Keyboard rows and the diagonals across them.
    private static let rows: [StaticString] = [
        "1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm", "qwertzuiop", "yxcvbnm", "azertyuiop",
        "1qaz", "2wsx", "3edc", "4rfv", "5tgb", "6yhn", "7ujm", "1qay",
    ]

    private static func keyboard(_ bytes: Span<UInt8>, _ index: Int) -> PassphrasePattern? {
        var longest = 0
        for row in rows {
            row.withUTF8Buffer { keys in
                for start in keys.indices {
                    for step in [1, -1] {
                        var length = 0
                        while index + length < bytes.count,
                            keys.indices.contains(start + step * length),
                            unsafe lowercase(bytes[index + length]) == keys[start + step * length]
                        { length += 1 }
                        longest = max(longest, length)
                    }
                }
            }
        }
        guard longest >= 4 else { return nil }
        return PassphrasePattern(
            kind: .sequence, length: longest, bits: 6 + Logarithm.base2(Double(longest)))
    }

    /// Digits; four digits are often a year.
    private static func number(_ bytes: Span<UInt8>, _ index: Int) -> PassphrasePattern? {
        var length = 0
        while index + length < bytes.count, isDigit(bytes[index + length]) { length += 1 }
        guard length >= 3 else { return nil }
        let isYear =
            length == 4
            && (bytes[index] == UInt8(ascii: "1") && bytes[index + 1] == UInt8(ascii: "9")
                || bytes[index] == UInt8(ascii: "2") && bytes[index + 1] == UInt8(ascii: "0"))
        return PassphrasePattern(
            kind: .word, length: length, bits: isYear ? 7 : Double(length) * 3.32)
    }

    /// Letters with a vowel in every five could be a word; long runs could be several words.
    private static func word(_ bytes: Span<UInt8>, _ index: Int) -> PassphrasePattern? {
        if bytes[index] == UInt8(ascii: " ") {
            return PassphrasePattern(kind: .word, length: 1, bits: 1)
        }
        var length = 0
        var consonants = 0
        var capitals = 0
        while index + length < bytes.count, isLetter(bytes[index + length]) {
            let byte = bytes[index + length]
            consonants = isVowel(byte) ? 0 : consonants + 1
            guard consonants < 5 else { return nil }
            if lowercase(byte) != byte, length > 0 { capitals += 1 }
            length += 1
        }
        // With capitals in the middle, it is not a word.
        guard length >= 3, consonants < length, capitals == 0 || capitals == length - 1 else {
            return nil
        }
        let several = Double(max(length - 8, 0)) * 2
        return PassphrasePattern(
            kind: .word, length: length, bits: min(Double(length) * 4.7, 13 + several))
    }

    // MARK: Characters

    private static func isVowel(_ byte: UInt8) -> Bool {
        switch lowercase(byte) {
        case UInt8(ascii: "a"), UInt8(ascii: "e"), UInt8(ascii: "i"), UInt8(ascii: "o"),
            UInt8(ascii: "u"), UInt8(ascii: "y"):
            true
        default: false
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercase(byte))
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool { isDigit(byte) || isLetter(byte) }

    private static func lowercase(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
