import BenchKit

/// The outcome of one run of one program.
struct Sample: Codable, Sendable {
    /// Seconds of wall-clock time.
    var wall: Double
    /// Seconds of the program's own processor time; nil if it does not say.
    var cpu: Double?
    /// The program's peak memory, in KiB; nil if it does not say.
    var peakKiB: Int?
    /// Seconds of parts of the work, by name.
    var parts: [String: Double] = [:]

    /// The sum of two pieces of work.
    static func + (one: Sample, other: Sample) -> Sample {
        Sample(wall: one.wall + other.wall, cpu: nil, peakKiB: nil, parts: one.parts.merging(other.parts) { $0 + $1 })
    }

    /// Measures `body`.
    static func measure(_ body: () throws -> Void) rethrows -> Sample {
        let clock = ContinuousClock()
        let cpu = ProcessUsage.cpuNanoseconds
        let wall = try clock.measure(body)
        return Sample(
            wall: wall.inSeconds, cpu: Double(ProcessUsage.cpuNanoseconds - cpu) / 1e9, peakKiB: ProcessUsage.peakKiB)
    }
}

extension Duration {
    var inSeconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
