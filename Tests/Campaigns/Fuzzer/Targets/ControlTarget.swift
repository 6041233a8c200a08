@testable import Lockstep
@testable import LockstepModels

/// A planted bug, which shows that the fuzzer finds bugs. It starts without seeds: finding it by chance would take too
/// long; only the coverage inside both modules leads to it.
final class ControlTarget: FuzzTarget {
    static let name = "control"
    static let refusals: Set<LockstepError.Code> = []

    static func seeds() -> [String: [UInt8]] { [:] }

    func run(_ input: [UInt8]) {
        guard let text = String(validating: input, as: UTF8.self) else { return }
        if Instant.microseconds(of: text) != nil, CalendarDay(text) != nil {
            fatalError("the planted bug: a day is taken")
        }
    }
}
