import BenchKit
import CFileActivity

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The measured region, which can be entered several times: CPU time of all threads of the process, wall-clock time,
/// and file writes.
struct ProcessClock {
    private(set) var cpuNanoseconds: Int64 = 0
    private(set) var wallNanoseconds: Int64 = 0
    /// The bytes that all threads passed to `write` and similar calls, whether or not they reached the disk; nil if the
    /// system does not report it.
    private(set) var bytesWritten: Int? = 0
    /// How often any thread synced files to the disk; nil if the system does not allow counting it.
    private(set) var syncs: Int? = 0
    private var before = FileActivity.none
    private var cpuStarted: Int64 = 0
    private var wallStarted = SuspendingClock.now

    mutating func start() {
        before = .now
        wallStarted = SuspendingClock.now
        cpuStarted = ProcessUsage.cpuNanoseconds
    }

    mutating func stop() {
        cpuNanoseconds += ProcessUsage.cpuNanoseconds - cpuStarted
        let parts = (SuspendingClock.now - wallStarted).components
        wallNanoseconds += parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000
        addActivity(since: before)
    }

    /// Counts the whole process up to now: its CPU time, and the wall-clock time since it was started, if the caller
    /// knows when that was.
    mutating func stopProcess(startedAt started: Int64?) {
        cpuNanoseconds = ProcessUsage.cpuNanoseconds
        addActivity(since: .none)
        if let started {
            wallNanoseconds = Self.monotonicNanoseconds - started
        } else {
            wallNanoseconds = cpuNanoseconds
        }
    }

    private mutating func addActivity(since before: FileActivity) {
        let now = FileActivity.now
        bytesWritten = Self.sum(bytesWritten, now.bytesWritten, before.bytesWritten)
        syncs = Self.sum(syncs, now.syncs, before.syncs)
    }

    private static func sum(_ sum: Int?, _ now: Int?, _ before: Int?) -> Int? {
        guard let sum, let now, let before else { return nil }
        return sum + now - before
    }

    /// The system's monotonic clock, which all processes share.
    static var monotonicNanoseconds: Int64 {
        var now = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }
}

/// The process's file activity since it was started. It is read outside of the measured region.
private struct FileActivity {
    /// That of a process which has done nothing yet.
    static let none = FileActivity(bytesWritten: 0, syncs: 0)

    let bytesWritten: Int?
    let syncs: Int?

    static var now: FileActivity {
        FileActivity(bytesWritten: reported(file_activity_bytes_written()), syncs: reported(file_activity_syncs()))
    }

    private static func reported(_ count: Int64) -> Int? { count < 0 ? nil : Int(count) }
}
