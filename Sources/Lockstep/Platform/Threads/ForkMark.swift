internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// Tells a process from the one that it was forked off, for what must not be used in both.
@safe
enum ForkMark {
    /// A number that is another one after fork(): a nanosecond or two, where asking for the process's number
    /// takes 150.
    static var current: UInt64 {
        guard let page = unsafe page else { return UInt64(UInt32(bitPattern: getpid())) }
        let mark = unsafe page.pointee
        return mark != 0 ? mark : unsafe renewed(page)
    }

    /// A page that the kernel clears in a child; nil where it does not do that. It is never given back.
    nonisolated(unsafe) private static let page: UnsafeMutablePointer<UInt64>? = {
        #if os(Linux)
            let size = Int(sysconf(Int32(_SC_PAGESIZE)))
            let start = unsafe mmap(
                nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            guard let start = unsafe start, unsafe start != MAP_FAILED else { return nil }
            // MADV_WIPEONFORK, since Linux 4.14 (madvise(2)).
            guard unsafe madvise(start, size, 18) == 0 else {
                unsafe munmap(start, size)
                return nil
            }
            let page = unsafe start.bindMemory(to: UInt64.self, capacity: 1)
            unsafe page.pointee = 1
            return unsafe page
        #else
            return nil
        #endif
    }()

    /// The last mark that was given out, which a child inherits.
    private static let last = Atomic<UInt64>(1)

    private static func renewed(_ page: UnsafeMutablePointer<UInt64>) -> UInt64 {
        // No lock: one that another thread held when the process was forked is held for ever. Two threads may
        // each make one, and what was fetched under the first of them is fetched again.
        let mark = last.wrappingAdd(1, ordering: .relaxed).newValue
        unsafe page.pointee = mark
        return mark
    }
}
