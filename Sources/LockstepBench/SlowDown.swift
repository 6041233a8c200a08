#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Slows a run down on purpose, for tests that prove that the harness notices: `LOCKSTEP_BENCH_SLOW_DOWN` in the
/// environment of `lockstep-bench run` is the number of microseconds of CPU time added to each operation. The outcome
/// says so, and every report of it.
enum SlowDown {
    static let variable = "LOCKSTEP_BENCH_SLOW_DOWN"

    /// The value from the environment; nil if there is none.
    static func microseconds() throws(BenchError) -> Int? {
        guard let value = unsafe getenv(variable) else { return nil }
        return try parse(unsafe String(cString: value))
    }

    static func parse(_ text: String) throws(BenchError) -> Int {
        guard let microseconds = Int(text), (1...1_000_000).contains(microseconds) else {
            throw BenchError(
                "\(variable) is not a number of microseconds from 1 to 1,000,000",
                hint: "unset it: it is for tests of the harness")
        }
        return microseconds
    }

    /// Burns that much CPU time for each operation that was measured, and counts it.
    static func burn(_ microseconds: Int, into measurement: inout Measurement) {
        measurement.clock.start()
        let end =
            ProcessClock.cpuNow() + Int64(measurement.operations) * Int64(microseconds) * 1000
        while ProcessClock.cpuNow() < end {}
        measurement.clock.stop()
    }

    /// A line for each peer that was slowed down.
    static func warnings(_ rounds: [Round]) -> [String] {
        var slowed: [String: Int] = [:]
        for series in rounds.flatMap(\.series) {
            for outcome in series.outcomes {
                guard let more = outcome.slowedDownMicroseconds else { continue }
                slowed[series.peer] = max(more, slowed[series.peer] ?? 0)
            }
        }
        return slowed.sorted { $0.key < $1.key }.map {
            "\($0.key) WAS SLOWED DOWN ON PURPOSE, by \($0.value) µs an operation: a test of the harness"
        }
    }
}
