internal import SystemPackage

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The machine's memory.
enum SystemMemory {
    /// The maximum memory for this process in bytes; nil if it is not known. A container's limit counts if it is lower
    /// than the machine's memory.
    static var bytes: Int? {
        let pages = sysconf(Int32(_SC_PHYS_PAGES))
        let size = sysconf(Int32(_SC_PAGESIZE))
        guard pages > 0, size > 0 else { return nil }
        return min(pages * size, containerLimit("/sys/fs/cgroup/memory.max") ?? .max)
    }

    /// The limit of Linux control groups, version 2: a number, or the word `max`.
    static func containerLimit(_ path: FilePath) -> Int? {
        guard let text = try? FileAccess.read(path, limit: 64) else { return nil }
        return Int(String(decoding: text.filter { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }
}
