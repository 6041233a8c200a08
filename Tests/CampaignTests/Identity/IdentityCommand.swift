import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// What is done to a file with field keys, and whether that refuses it.
enum IdentityCommand: CaseIterable, Sendable {
    case open, write, importing, relying, migrate, protect, reseal, verify

    private var deed: OperatorProgram.Deed? {
        switch self {
        case .open, .verify: nil
        case .write: .write
        case .importing: .importing
        case .relying: .relying
        case .migrate: .migrate
        case .protect: .protect
        case .reseal: .reseal
        }
    }

    struct Outcome {
        let isRefused: Bool
        /// Whether plaintext of a sealed column is in the file.
        let hasSpilled: Bool
    }

    /// - Parameter isForeign: The file is under the key of another keyring, with which nothing writes here.
    func run(_ bench: TamperedDatabase, isCredulous: Bool = false, isForeign: Bool = false) throws -> Outcome {
        guard let deed else {
            do {
                if self == .open {
                    _ = try bench.open(isCredulous ? bench.keys().withoutMemory() : nil)
                    return Outcome(isRefused: false, hasSpilled: false)
                }
                return Outcome(isRefused: try !bench.verify().isClean, hasSpilled: false)
            } catch is LockstepError {
                return Outcome(isRefused: true, hasSpilled: false)
            }
        }
        let program = OperatorProgram(bench: bench, isCredulous: isCredulous)
        let refusals = try program.run(deed)
        let hasSpilled =
            try !isForeign
            && Self.written.contains {
                try bench.holds("\(OperatorProgram.sealedMarker)\($0)")
            }
        return Outcome(isRefused: !refusals.isEmpty, hasSpilled: hasSpilled)
    }

    /// What the deeds write. The other database has plaintext of its own where it seals less.
    private static let written = ["a new title", "another title", "a new role", "new fee", "a new memo"]
}
