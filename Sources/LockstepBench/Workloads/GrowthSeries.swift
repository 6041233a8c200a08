/// How `growth` runs a workload.
struct GrowthSeries: Sendable {
    /// The variant, which must allow tables larger than memory.
    let variant: String
    /// Its description in the help of `growth`.
    let verb: String
}
