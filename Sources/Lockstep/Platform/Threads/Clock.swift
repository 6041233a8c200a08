#if canImport(Glibc)
internal import Glibc
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The two clocks: wall time for records, monotonic time for measurements.
package enum Clock {
    /// Microseconds since 1970-01-01T00:00:00Z.
    package static var microsecondsSinceEpoch: Int64 { read(CLOCK_REALTIME) / 1000 }

    /// Microseconds of a clock that never jumps.
    package static var monotonicMicroseconds: Int64 { read(CLOCK_MONOTONIC) / 1000 }

    /// The time since an earlier ``monotonicMicroseconds``.
    package static func time(since start: Int64) -> Duration {
        .microseconds(monotonicMicroseconds - start)
    }

    /// Waits on this thread.
    package static func pause(milliseconds: Int) {
        var time = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
        unsafe _ = nanosleep(&time, nil)
    }

    private static func read(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        _ = unsafe clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
