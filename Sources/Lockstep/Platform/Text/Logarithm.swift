#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The only function that Lockstep uses from libm.
enum Logarithm {
    /// The logarithm to base 2.
    static func base2(_ value: Double) -> Double { log2(value) }
}
