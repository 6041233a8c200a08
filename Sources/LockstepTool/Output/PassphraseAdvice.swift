import Lockstep
import Synchronization

/// Advice on passphrases. It never shows any part of a passphrase and never refuses one.
enum PassphraseAdvice {
    private static let isReported = Atomic<Bool>(false)
    private static let isFormReported = Atomic<Bool>(false)

    /// Reports a new passphrase that is easy to guess.
    static func show(_ passphrase: borrowing Passphrase) {
        guard let weakness = passphrase.weakness() else { return }
        Output.note("hint: this passphrase is easy to guess: \(weakness); five or six random words are better")
    }

    /// Reports once per command, however many keyrings it opens, that the slot that opened one is cheap to guess, or opened
    /// only with the passphrase as typed.
    static func show(_ slot: SlotDescription, of file: KeyringFile, asTyped: Bool) {
        if asTyped, !isFormReported.exchange(true, ordering: .relaxed) {
            Output.note(
                "warning: the slot \(slot.name) of \(file.path) opens only with the passphrase as typed here, and not in its "
                    + "normal form (NFC): another keyboard may write it in another way")
            Output.note("hint: renew it: `lockstep keys change-passphrase --keyring \(file.path) --slot \(slot.name)`")
        }
        guard slot.isCheapToGuess, case .passphrase(let logN) = slot.kind,
            !isReported.exchange(true, ordering: .relaxed)
        else { return }
        Output.note("warning: the slot \(slot.name) of \(file.path) is cheap to guess: scrypt with N = 2^\(logN)")
        Output.note("hint: renew it: `lockstep keys change-passphrase --keyring \(file.path) --slot \(slot.name)`")
    }
}
