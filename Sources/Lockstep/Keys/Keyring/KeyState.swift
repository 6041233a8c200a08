/// The state of a key.
public enum KeyState: String, Sendable, CaseIterable {
    /// Recorded, but not yet the key in use.
    case pending
    /// In use; exactly one of each kind.
    case active
    /// Opens existing data; nothing new is made with it.
    case retired
    /// Its material is erased; the entry remains so that errors can explain it.
    case destroyed
    /// Opens data with a warning; `verify` fails while data still uses it.
    case compromised

    /// The states that can follow this one.
    var successors: [KeyState] {
        switch self {
        case .pending: [.active, .destroyed, .compromised]
        case .active: [.retired, .compromised]
        case .retired: [.active, .destroyed, .compromised]
        case .compromised: [.destroyed]
        case .destroyed: []
        }
    }
}
