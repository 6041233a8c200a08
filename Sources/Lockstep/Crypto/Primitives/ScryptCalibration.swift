extension Scrypt.Cost {
    /// As dear as `target` allows here, and never below ``standard``.
    ///
    /// N = 2^16 is measured once: time and memory double with each power. A machine that is busy meanwhile
    /// comes out slower, and its slots cheaper, but not below the standard.
    /// - Parameters:
    ///   - memory: The machine's, in bytes, of which a quarter may be used; nil where it is not known.
    ///   - most: The greatest N.
    ///   - measure: How long a derivation takes.
    static func calibrated(
        for target: Duration, memory: Int?, maximum: Int,
        measure: (Scrypt.Cost) throws(LockstepError) -> Duration
    ) throws(LockstepError) -> Scrypt.Cost {
        let once = try measure(Scrypt.Cost(logN: advisable, r: standard.r, p: standard.p))
        var cost = standard
        // A clock that stands still has measured nothing.
        guard once > .zero, let memory else { return cost }
        while cost.logN < choosable.upperBound {
            let next = Scrypt.Cost(logN: cost.logN + 1, r: cost.r, p: cost.p)
            guard once * (next.n >> advisable) <= target, next.memory <= memory / 4,
                next.n <= maximum
            else { break }
            cost = next
        }
        return cost
    }

    /// How long a derivation takes here, this time.
    package static func measure(_ cost: Scrypt.Cost) throws(LockstepError) -> Duration {
        let salt = [UInt8](repeating: 0, count: 16)
        let start = Clock.monotonicMicroseconds
        _ = try Scrypt.derive(salt.span, salt: salt.span, cost: cost)
        return .microseconds(Clock.monotonicMicroseconds - start)
    }
}
