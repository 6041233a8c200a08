extension Scrypt.Cost {
    /// The highest cost that takes at most `target` on this machine, and never less than ``standard``.
    ///
    /// N = 2^16 is measured once: time and memory double with each power. On a busy machine, the measured time is
    /// longer and the cost lower, but not below the standard.
    /// - Parameters:
    ///   - memory: The machine's memory in bytes, of which a quarter can be used; nil if it is not known.
    ///   - maximum: The greatest N.
    ///   - measure: Returns the duration of a derivation.
    static func calibrated(
        for target: Duration, memory: Int?, maximum: Int, measure: (Scrypt.Cost) throws(LockstepError) -> Duration
    ) throws(LockstepError) -> Scrypt.Cost {
        let once = try measure(Scrypt.Cost(logN: advisable, r: standard.r, p: standard.p))
        var cost = standard
        // If the clock did not advance, the measurement is useless.
        guard once > .zero, let memory else { return cost }
        while cost.logN < choosable.upperBound {
            let next = Scrypt.Cost(logN: cost.logN + 1, r: cost.r, p: cost.p)
            guard once * (next.n >> advisable) <= target, next.memory <= memory / 4, next.n <= maximum else { break }
            cost = next
        }
        return cost
    }

    /// Measures the duration of one derivation on this machine.
    package static func measure(_ cost: Scrypt.Cost) throws(LockstepError) -> Duration {
        let salt = [UInt8](repeating: 0, count: 16)
        let start = Clock.monotonicMicroseconds
        _ = try Scrypt.derive(salt.span, salt: salt.span, cost: cost)
        return Clock.time(since: start)
    }
}
