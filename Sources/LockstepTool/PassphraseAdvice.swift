import Lockstep

/// What is told of a new passphrase: never anything of it, and it is never refused.
enum PassphraseAdvice {
    static func tell(_ passphrase: borrowing Passphrase) {
        guard let weakness = passphrase.weakness() else { return }
        Output.note(
            "hint: this passphrase is easy to guess: \(weakness); five or six random words are better"
        )
    }
}
