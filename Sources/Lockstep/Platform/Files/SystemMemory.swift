internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Darwin)
    internal import Darwin
#endif

/// The machine's memory.
enum SystemMemory {
    /// How many bytes there are for this process at the most; nil where that is not known. A container's
    /// limit counts where it is less than the machine's.
    static var bytes: Int? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let size = sysconf(Int32(_SC_PAGESIZE))
        guard pages > 0, size > 0 else { return nil }
        return min(pages * size, containerLimit("/sys/fs/cgroup/memory.max") ?? .max)
    }

    /// What Linux's control groups, version 2, allow: a number, or the word `max`.
    static func containerLimit(_ path: FilePath) -> Int? {
        guard let text = try? FileAccess.read(path, limit: 64) else { return nil }
        return Int(String(decoding: text.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
