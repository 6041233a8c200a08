@testable import Lockstep

/// Why a command may accept a state that is not intact.
enum IdentityCases {
    /// What a complete run of the campaign meets: a line that nothing meets any more is not true any more.
    static let all: Set<Undetected> = [.ledger, .guards]

    static func declared(_ state: IdentityState, _ command: IdentityCommand) -> Undetected? {
        guard state.registry == .intact, state.identity == .own else { return nil }
        switch state.keyrings {
        case .olderFields, .olderDatabase: return nil
        case .now: return state.hasLedger ? .guards : .ledger
        }
    }
}
