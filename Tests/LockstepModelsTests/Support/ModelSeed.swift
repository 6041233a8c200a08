import TestSupport

/// Random work that differs in each run; `LOCKSTEP_TEST_SEED=… swift test --filter …` with the printed seed repeats it.
enum ModelSeed {
    static func random() -> SplitMix64 { SplitMix64(state: Torture.seed) }

    /// An existing key in most cases. It does not depend on the dictionary's order, which Swift shuffles.
    static func key<Value>(
        of values: [Int64: Value], upTo last: Int64, _ random: inout SplitMix64
    ) -> Int64 {
        var key: Int64 = 999_999
        guard last > 0, Int.random(in: 0..<20, using: &random) > 0 else { return key }
        for _ in 0..<20 {
            key = Int64.random(in: 1...last, using: &random)
            if values[key] != nil { break }
        }
        return key
    }
}
