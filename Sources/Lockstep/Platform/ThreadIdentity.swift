#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Which thread this is.
enum ThreadIdentity {
    /// Lets other threads run first, if any are ready.
    static func yield() { sched_yield() }

    /// A number that no other living thread has, and never 0.
    static var current: UInt {
        #if canImport(Glibc)
            UInt(pthread_self())
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }
}
