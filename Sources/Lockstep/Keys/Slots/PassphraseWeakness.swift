/// What makes a passphrase easy to guess.
public enum PassphraseWeakness: String, Sendable, CaseIterable, CustomStringConvertible {
    /// It is one of the commonest passwords, or little more.
    case common
    /// It repeats itself.
    case repeats
    /// Most of it is a sequence, such as of digits, or a row of keys.
    case sequence
    /// It is short.
    case short
    /// It is a word or two.
    case fewWords = "few-words"

    /// For people; it tells nothing of the passphrase that they do not know.
    public var description: String {
        switch self {
        case .common: "it is close to one of the commonest passwords"
        case .repeats: "it repeats itself"
        case .sequence: "most of it is a sequence, or a row of keys"
        case .short: "it is short"
        case .fewWords: "it is little more than a word or two"
        }
    }
}

extension Passphrase {
    /// What makes it easy to guess, as far as a rough look tells; nil if nothing was found, which proves
    /// nothing. To be told to whoever chooses the passphrase, and no reason to refuse it.
    ///
    /// The bytes are looked at where they are, and nothing is copied. It takes well below a millisecond.
    public borrowing func weakness() -> PassphraseWeakness? {
        PassphraseEstimate(secret.bytes).weakness
    }
}
