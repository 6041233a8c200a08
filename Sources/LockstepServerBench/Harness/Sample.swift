#if Postgres
    import FoundationEssentials

    #if canImport(Darwin)
        import Darwin
    #elseif canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif

    /// The outcome of one run of one program.
    struct Sample: Codable, Sendable {
        /// Seconds of wall-clock time.
        var wall: Double
        /// Seconds of the program's own processor time; nil if it does not say.
        var cpu: Double?
        /// The program's peak memory, in KiB; nil if it does not say.
        var peakKiB: Int?
        /// Seconds of parts of the work, by name.
        var parts: [String: Double] = [:]

        /// The sum of two pieces of work.
        static func + (one: Sample, other: Sample) -> Sample {
            Sample(
                wall: one.wall + other.wall, cpu: nil, peakKiB: nil,
                parts: one.parts.merging(other.parts) { $0 + $1 })
        }

        /// Measures `body`.
        static func measure(_ body: () throws -> Void) rethrows -> Sample {
            let clock = ContinuousClock()
            let cpu = cpuNow()
            let wall = try clock.measure(body)
            return Sample(wall: wall.inSeconds, cpu: cpuNow() - cpu, peakKiB: peakKiB())
        }

        /// Seconds of user and system time of this process.
        private static func cpuNow() -> Double {
            var usage = rusage()
            #if canImport(Glibc)
                let own = __rusage_who_t(RUSAGE_SELF.rawValue)
            #else
                let own = RUSAGE_SELF
            #endif
            // It fails only for processes that do not exist.
            unsafe getrusage(own, &usage)
            return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
                + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1_000_000
        }

        /// The process's peak memory. On Linux a child inherits `ru_maxrss` from the process that started it; VmHWM is its
        /// own.
        private static func peakKiB() -> Int? {
            guard let status = FileManager.default.contents(atPath: "/proc/self/status") else {
                return nil
            }
            return String(decoding: status, as: UTF8.self).split(separator: "\n")
                .first { $0.hasPrefix("VmHWM:") }?
                .split { !$0.isNumber }.first.flatMap { Int($0) }
        }
    }

    extension Duration {
        var inSeconds: Double {
            Double(components.seconds) + Double(components.attoseconds) / 1e18
        }
    }
#endif
