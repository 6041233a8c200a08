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
            ask()
        #else
            UInt(bitPattern: pthread_self())
        #endif
    }

    #if canImport(Glibc)
        /// `pthread_self`, found by its name. glibc declares that it gives the same whenever it is asked, which is true
        /// of a thread and not of a task: in an async function that blocking calls are inlined into, an optimised build
        /// asked once, and took the answer for that of whatever thread the task went on with.
        private static let ask: @convention(c) () -> UInt = {
            guard let found = unsafe dlsym(nil, "pthread_self") else {
                return { UInt(pthread_self()) }
            }
            return unsafe unsafeBitCast(found, to: (@convention(c) () -> UInt).self)
        }()
    #endif
}
