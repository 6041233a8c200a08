import CFileActivity
import Foundation

/// The measured region, which can be entered several times.
struct Clock {
    private(set) var cpuNanoseconds: Int64 = 0
    private(set) var wallNanoseconds: Int64 = 0
    /// Nil if the system does not report it.
    private(set) var bytesWritten: Int64? = 0
    private(set) var syncs: Int64? = 0
    private var writtenBefore: Int64 = 0
    private var syncsBefore: Int64 = 0
    private var cpuStarted: Int64 = 0
    private var wallStarted = SuspendingClock.now

    mutating func start() {
        writtenBefore = file_activity_bytes_written()
        syncsBefore = file_activity_syncs()
        wallStarted = SuspendingClock.now
        cpuStarted = Self.cpuNow()
    }

    mutating func stop() {
        cpuNanoseconds += Self.cpuNow() - cpuStarted
        let parts = (SuspendingClock.now - wallStarted).components
        wallNanoseconds += parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        bytesWritten = Self.sum(bytesWritten, file_activity_bytes_written(), writtenBefore)
        syncs = Self.sum(syncs, file_activity_syncs(), syncsBefore)
    }

    private static func sum(_ sum: Int64?, _ now: Int64, _ before: Int64) -> Int64? {
        before < 0 || now < 0 ? nil : sum.map { $0 + now - before }
    }

    private static func usage() -> rusage {
        var usage = rusage()
        #if canImport(Glibc)
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
        getrusage(RUSAGE_SELF, &usage)
        #endif
        return usage
    }

    private static func cpuNow() -> Int64 {
        let usage = usage()
        return Int64(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000_000
            + Int64(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000
    }

    /// The process's peak memory. Linux lets a child inherit `ru_maxrss` from the process
    /// that started it; VmHWM is its own.
    static func peakKiB() -> Int64 {
        if let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let peak = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int64($0) })
        {
            return peak
        }
        #if os(Linux)
        return Int64(usage().ru_maxrss)
        #else
        return Int64(usage().ru_maxrss) / 1024
        #endif
    }
}
