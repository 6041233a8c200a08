import Lockstep

/// Advice on a new passphrase. It never shows any part of the passphrase and never refuses it.
enum PassphraseAdvice {
    static func show(_ passphrase: borrowing Passphrase) {
        guard let weakness = passphrase.weakness() else { return }
        Output.note(
            "hint: this passphrase is easy to guess: \(weakness); five or six random words are better"
        )
    }
}
