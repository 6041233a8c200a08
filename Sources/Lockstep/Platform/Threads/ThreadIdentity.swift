#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Identifies the current thread.
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
    /// `pthread_self`, looked up by name. glibc declares its result as constant, which is true for a thread but not
    /// for a task: when blocking calls were inlined into an async function, an optimized build called it once and
    /// used the result even after the task had moved to another thread.
    private static let ask: @convention(c) () -> UInt = {
        guard let found = unsafe dlsym(nil, "pthread_self") else {
            return { UInt(pthread_self()) }
        }
        return unsafe unsafeBitCast(found, to: (@convention(c) () -> UInt).self)
    }()
    #endif
}
