import FoundationEssentials

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// What this process has used since it was started.
package enum ProcessUsage {
    private static var now: rusage {
        var usage = rusage()
        #if canImport(Glibc)
        let own = __rusage_who_t(RUSAGE_SELF.rawValue)
        #else
        let own = RUSAGE_SELF
        #endif
        // It fails only for processes that do not exist.
        unsafe getrusage(own, &usage)
        return usage
    }

    /// User and system time of all threads.
    package static var cpuNanoseconds: Int64 {
        let usage = now
        return (Int64(usage.ru_utime.tv_sec) + Int64(usage.ru_stime.tv_sec)) * 1_000_000_000
            + (Int64(usage.ru_utime.tv_usec) + Int64(usage.ru_stime.tv_usec)) * 1000
    }

    /// The peak memory. On Linux a child inherits `ru_maxrss` from the process that started it; VmHWM is its own.
    package static var peakKiB: Int {
        if let status = FileManager.default.contents(atPath: "/proc/self/status"),
            let line = String(decoding: status, as: UTF8.self).split(separator: "\n")
                .first(where: { $0.hasPrefix("VmHWM:") }),
            let peak = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) })
        {
            return peak
        }
        #if canImport(Darwin)
        return Int(now.ru_maxrss) / 1024
        #else
        return Int(now.ru_maxrss)
        #endif
    }
}
