#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The machine's processors.
enum Processors {
    /// The number of processors online at first use, at least one.
    static let count = max(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 1)
}
