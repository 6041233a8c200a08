/// How long something took on the wall clock.
struct Measurement {
    let nanoseconds: Int64

    /// The median of several runs; `body` itself times only what counts.
    static func median(of runs: Int, _ body: () throws -> Duration) throws -> Measurement {
        var times: [Int64] = []
        for _ in 0..<runs {
            let parts = try body().components
            times.append(parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
        }
        return Measurement(nanoseconds: times.sorted()[runs / 2])
    }
}
