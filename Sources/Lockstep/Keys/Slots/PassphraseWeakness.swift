/// The reason why a passphrase is easy to guess.
public enum PassphraseWeakness: String, Sendable, CaseIterable, CustomStringConvertible {
    /// It is one of the most common passwords, or close to one.
    case common
    /// It repeats itself.
    case repeats
    /// Most of it is a sequence, for example of digits, or a keyboard row.
    case sequence
    /// It is short.
    case short
    /// It is only one or two words.
    case fewWords = "few-words"

    /// A text for the user who chose the passphrase; it reveals nothing about the passphrase beyond the weakness.
    public var description: String {
        switch self {
        case .common: "it is close to one of the most common passwords"
        case .repeats: "it repeats itself"
        case .sequence: "most of it is a sequence or a keyboard row"
        case .short: "it is short"
        case .fewWords: "it is little more than one or two words"
        }
    }
}

extension Passphrase {
    /// The reason why the passphrase is easy to guess, by a rough estimate. Nil means that none was found, which does
    /// not prove that the passphrase is strong. Report it to the user who chooses the passphrase, but do not refuse it.
    ///
    /// The bytes are examined in place without copying. It takes well below a millisecond.
    public borrowing func weakness() -> PassphraseWeakness? {
        PassphraseEstimate(secret.bytes).weakness
    }
}
