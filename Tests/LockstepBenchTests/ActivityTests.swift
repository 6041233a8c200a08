import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import BenchKit
@testable import LockstepBench

/// What a run reports about its writes, and how often it waited for the disk.
@Suite("File activity of a run")
struct ActivityTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ workload: WorkloadName, _ more: [String]) async throws -> Outcome {
        let path = folder.path.appending("bench-\(UUID().uuidString).db")
        let result = try await Subprocess.run(
            .path(Programs.path("lockstep-bench")),
            arguments: Arguments(["run", workload.rawValue, "--path", path.string] + more),
            output: .string(limit: 65_536), error: .string(limit: 65_536))
        #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
        return try Outcome.parse(result.standardOutput, of: "lockstep")
    }

    @Test("CPU time that is used between start and stop is counted")
    func processorTime() {
        var clock = ProcessClock()
        for count in 1...2 {
            clock.start()
            let end = ProcessUsage.cpuNanoseconds + 2_000_000
            while ProcessUsage.cpuNanoseconds < end {}
            clock.stop()
            #expect(clock.cpuNanoseconds >= Int64(count) * 2_000_000)
        }
    }

    #if os(Linux)
    @Test("Each commit waits for the disk only if that is requested")
    func commits() async throws {
        let full = try await run(.commit, ["--operations", "40", "--sync", "full"])
        let normal = try await run(.commit, ["--operations", "40", "--sync", "normal"])
        #expect(try #require(full.syncs) >= 40)
        #expect(try #require(normal.syncs) < 10)
        // Each writes at least the page that it changed.
        #expect(try #require(normal.bytesWritten) >= 40 * 4096)
    }

    @Test("Work outside the measured region is not counted")
    func region() async throws {
        let fields = try await run(.fields, ["--operations", "10", "--variant", "seal-16"])
        #expect(fields.syncs == 0)
        #expect(fields.bytesWritten == 0)
    }

    @Test("A clock that is started again continues counting")
    func again() throws {
        var clock = ProcessClock()
        for count in 1...2 {
            clock.start()
            let file = try FileDescriptor.open(
                folder.path.appending("file"), .writeOnly, options: [.create], permissions: .ownerReadWrite)
            try file.closeAfter {
                _ = try file.writeAll([UInt8](repeating: 1, count: 1000))
            }
            clock.stop()
            // Other tests of the process can add to it.
            #expect(try #require(clock.bytesWritten) >= 1000 * count)
        }
    }
    #endif
}
