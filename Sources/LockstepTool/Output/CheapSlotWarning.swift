import Lockstep
import Synchronization

/// Warns if the passphrase slot that opened a keyring is cheap to guess.
enum CheapSlotWarning {
    private static let isReported = Atomic<Bool>(false)

    /// Prints the warning once per command, however many keyrings are opened.
    /// - Parameter slot: The slot that opened the keyring.
    static func show(_ slot: SlotDescription, of file: KeyringFile) {
        guard slot.isCheapToGuess, case .passphrase(let logN) = slot.kind else { return }
        guard !isReported.exchange(true, ordering: .relaxed) else { return }
        Output.note(
            "warning: the slot \(slot.name) of \(file.path) is cheap to guess: scrypt with N = 2^\(logN)"
        )
        Output.note(
            "hint: renew it: `lockstep keys change-passphrase --keyring \(file.path) --slot \(slot.name)`"
        )
    }
}
