/// The reason why a passphrase is easy to guess: see ``Passphrase/weakness()``.
public enum PassphraseWeakness: String, Sendable, CaseIterable, CustomStringConvertible {
    /// It is short.
    case short
    /// It is only a few words.
    case fewWords = "few-words"

    /// The length that NIST requires of a password that is the only factor (SP 800-63B-4, section 3.1.1.2).
    static let minimumLength = 15
    /// Four words of a list of 7776, as Diceware has, are one of 2^51 combinations. At half a second each, the
    /// standard ``PassphraseCost``, trying half of them takes 29 million years of processor time; for three words it
    /// takes less than 4000 years.
    static let minimumWords = 4

    /// A text for the user who chose the passphrase; it reveals nothing about the passphrase beyond the weakness.
    public var description: String {
        switch self {
        case .short: "it has fewer than \(Self.minimumLength) characters"
        case .fewWords: "it is fewer than \(Self.minimumWords) words"
        }
    }
}

extension Passphrase {
    /// The reason why the passphrase is easy to guess, by a simple rule: it has fewer than 15 characters, or consists
    /// only of letters and spaces and is fewer than four words. Letters without a space between them are one word.
    ///
    /// Nil does not prove that the passphrase is strong. Report the reason to the user who chooses the passphrase, but
    /// do not refuse it. The bytes are examined in place without copying.
    public borrowing func weakness() -> PassphraseWeakness? {
        let bytes = secret.bytes
        let space = UInt8(ascii: " ")
        var (characters, words, isWords) = (0, 0, true)
        for index in bytes.indices {
            let byte = bytes[index]
            // A continuation byte in UTF-8 is not a character.
            if byte & 0xC0 != 0x80 { characters += 1 }
            if byte != space, index == 0 || bytes[index - 1] == space { words += 1 }
            let isLetter = byte >= 0x80 || byte.isASCIILetter
            if byte != space, !isLetter { isWords = false }
        }
        if isWords, words < PassphraseWeakness.minimumWords { return .fewWords }
        return characters < PassphraseWeakness.minimumLength ? .short : nil
    }
}
