/// Where in its life a key stands.
public enum KeyState: String, Sendable, CaseIterable {
    /// Recorded, but not yet the key in use.
    case pending
    /// In use; exactly one of each kind.
    case active
    /// Opens what was made with it, makes nothing new.
    case retired
    /// Its material is gone; the entry remains so that errors can say so.
    case destroyed
    /// Opens with a warning, and `verify` fails while it is in use.
    case compromised

    /// The states that a key may go to from this one.
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
