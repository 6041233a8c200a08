/// How `growth` runs a workload.
struct GrowthSeries: Sendable {
    /// The variant, which must allow tables larger than memory.
    let variant: String
    /// What the help of `growth` says that it does.
    let verb: String
}
