import Lockstep
import Synchronization

/// The warning that the passphrase which opened a keyring is cheaper to guess than it should be.
enum CheapSlotWarning {
    private static let isTold = Atomic<Bool>(false)

    /// Prints it once a command, however many keyrings are opened.
    /// - Parameter slot: What opened the keyring.
    static func tell(_ slot: SlotDescription, of file: KeyringFile) {
        guard slot.isCheapToGuess, case .passphrase(let logN) = slot.kind else { return }
        guard !isTold.exchange(true, ordering: .relaxed) else { return }
        Output.note(
            "warning: the slot \(slot.name) of \(file.path) is cheap to guess: scrypt with N = 2^\(logN)"
        )
        Output.note(
            "hint: renew it: `lockstep keys change-passphrase --keyring \(file.path) --slot \(slot.name)`"
        )
    }
}
