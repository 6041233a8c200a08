@testable import Lockstep
@testable import LockstepModels

/// A planted bug, to see that the fuzzer finds one. It begins with nothing: by chance alone it would take longer than
/// anybody waits, and only what is counted inside of both modules shows the way.
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
