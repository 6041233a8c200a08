import BenchKit

/// A unit in which reports show times.
enum TimeUnit: String {
    case microseconds = "µs"
    case nanoseconds = "ns"

    /// Nanoseconds as a number of this unit.
    func text(_ nanoseconds: Double) -> String {
        switch self {
        case .microseconds: Figures.microseconds(nanoseconds)
        case .nanoseconds: Figures.nanoseconds(nanoseconds)
        }
    }
}
