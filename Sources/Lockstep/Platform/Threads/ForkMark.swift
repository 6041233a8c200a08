internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// Distinguishes a forked process from its parent, for data that both must not use.
@safe
enum ForkMark {
    /// A number that differs after fork(). Reading it takes one or two nanoseconds; reading the process id takes 150.
    static var current: UInt64 {
        guard let page = unsafe page else { return UInt64(UInt32(bitPattern: getpid())) }
        let mark = unsafe page.pointee
        return mark != 0 ? mark : unsafe renewed(page)
    }

    /// A page that the kernel clears in a child process; nil if the kernel cannot do that. It is never released.
    nonisolated(unsafe) private static let page: UnsafeMutablePointer<UInt64>? = {
        #if os(Linux)
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        let start = unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
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

    /// The last assigned mark, which a child process inherits.
    private static let last = Atomic<UInt64>(1)

    private static func renewed(_ page: UnsafeMutablePointer<UInt64>) -> UInt64 {
        // No lock: if another thread held it during the fork, it would stay locked in the child. Two threads can each
        // make a mark; data fetched with the first mark is then fetched again.
        let mark = last.wrappingAdd(1, ordering: .relaxed).newValue
        unsafe page.pointee = mark
        return mark
    }
}
