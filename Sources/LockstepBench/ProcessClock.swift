import FoundationEssentials
import SystemPackage

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The measured region, which may be entered several times: CPU time of all threads of the process, time on
/// the wall, and what was written to files.
struct ProcessClock {
    private(set) var cpuNanoseconds: Int64 = 0
    private(set) var wallNanoseconds: Int64 = 0
    /// What all threads handed to `write` and its like, whatever the disk made of it; nil where the system
    /// does not tell.
    private(set) var bytesWritten: Int? = 0
    private var writtenBefore: Int?
    private var cpuStarted: Int64 = 0
    private var wallStarted = SuspendingClock.now

    mutating func start() {
        writtenBefore = Self.writtenNow()
        wallStarted = SuspendingClock.now
        cpuStarted = Self.cpuNow()
    }

    mutating func stop() {
        cpuNanoseconds += Self.cpuNow() - cpuStarted
        let parts = (SuspendingClock.now - wallStarted).components
        wallNanoseconds += parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        addWritten(since: writtenBefore)
    }

    /// Counts the whole process up to now: its CPU time, and the time on the wall since it was started, if
    /// whoever started it says when.
    mutating func stopProcess(startedAt started: Int64?) {
        cpuNanoseconds = Self.cpuNow()
        addWritten(since: 0)
        if let started {
            wallNanoseconds = Self.monotonicNanoseconds - started
        } else {
            wallNanoseconds = cpuNanoseconds
        }
    }

    private mutating func addWritten(since before: Int?) {
        guard let before, let now = Self.writtenNow(), let sum = bytesWritten else {
            return bytesWritten = nil
        }
        bytesWritten = sum + now - before
    }

    /// Linux counts the bytes of each process. It is asked outside of the region, and without Foundation: some
    /// workloads enter it thousands of times.
    private static func writtenNow() -> Int? {
        guard let file = unsafe try? FileDescriptor.open("/proc/self/io", .readOnly) else {
            return nil
        }
        defer { try? file.close() }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = unsafe try? bytes.withUnsafeMutableBytes { unsafe try file.read(into: $0) }
        return written(in: String(decoding: bytes.prefix(count ?? 0), as: UTF8.self))
    }

    /// The bytes written that /proc/self/io tells.
    static func written(in text: String) -> Int? {
        text.split(separator: "\n").first { $0.hasPrefix("wchar: ") }
            .flatMap { Int($0.dropFirst(7)) }
    }

    /// The system's monotonic clock, which all processes share.
    static var monotonicNanoseconds: Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    private static func usage() -> rusage {
        var usage = rusage()
        #if canImport(Glibc)
            let own = __rusage_who_t(RUSAGE_SELF.rawValue)
        #else
            let own = RUSAGE_SELF
        #endif
        // It fails only for processes that there are not.
        unsafe getrusage(own, &usage)
        return usage
    }

    /// User and system time of all threads up to now.
    static func cpuNow() -> Int64 {
        let usage = usage()
        return (Int64(usage.ru_utime.tv_sec) + Int64(usage.ru_stime.tv_sec)) * 1_000_000_000
            + (Int64(usage.ru_utime.tv_usec) + Int64(usage.ru_stime.tv_usec)) * 1000
    }

    /// The most memory that the process ever had. Linux lets a child inherit `ru_maxrss` from the process
    /// that started it; VmHWM is its own.
    static func peakKiB() -> Int {
        if let status = FileManager.default.contents(atPath: "/proc/self/status"),
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
                .first(where: { $0.hasPrefix("VmHWM:") }),
            let peak = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
        {
            return peak
        }
        #if canImport(Darwin)
            return Int(usage().ru_maxrss) / 1024
        #else
            return Int(usage().ru_maxrss)
        #endif
    }
}
