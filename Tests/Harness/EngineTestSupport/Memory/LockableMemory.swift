#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Whether a test can expect memory to be locked, and can observe it.
enum LockableMemory {
    /// False if the limit is too low, if there is no /proc, or if the address sanitizer disables mlock.
    static let isThere: Bool = {
        let size = Int(sysconf(Int32(_SC_PAGESIZE)))
        let start = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let start, start != MAP_FAILED else { return false }
        defer { munmap(start, size) }
        guard mlock(start, size) == 0, let regions = try? MemoryRegion.all(of: "self") else {
            return false
        }
        return regions.contains {
            $0.isLocked && $0.range.contains(UInt(bitPattern: start))
        }
    }()
}
