import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Memory of sealed blobs")
struct SealedBlobMemoryTests {
    @Test(
        "A sealed blob of 64 MiB is written, read, sealed again and verified within 32 MiB",
        .enabled(
            if: FileManager.default.fileExists(atPath: "/proc/self/clear_refs"), "not Linux"),
        .disabled(
            if: ProcessInfo.processInfo.environment["ASAN_OPTIONS"] != nil,
            "the address sanitizer keeps memory that was freed"))
    func memory() async throws {
        let folder = try TemporaryFolder()
        let result = try await run(
            .path(Programs.path("Worker")), arguments: ["copies", "sealed", folder.path.string, "\(64 << 20)"],
            output: .string(limit: 1000), error: .string(limit: 10_000))
        #expect(result.terminationStatus == .exited(0), "\(result.standardError)")
        let peaks = result.standardOutput.split(whereSeparator: \.isWhitespace).compactMap {
            Int($0)
        }
        #expect(peaks.count == 4)
        for kibibytes in peaks { #expect(kibibytes < 32 * 1024, "\(peaks)") }
    }
}
