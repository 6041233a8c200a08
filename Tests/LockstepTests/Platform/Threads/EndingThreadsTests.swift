import Subprocess
import TestSupport
import Testing

@testable import Lockstep

/// A process that ends right after its work, while its threads are still ending.
@Suite("Ending threads")
struct EndingThreadsTests {
    private func ending(_ form: String) async throws -> (code: String, output: String) {
        let result = try await run(
            .path(Programs.path("Worker")), arguments: ["ends-threads", form],
            output: .string(limit: 10_000), error: .discarded)
        return ("\(result.terminationStatus)", result.standardOutput)
    }

    @Test(
        "The process ends with its code, after all threads have freed what libcrypto keeps for them"
    )
    func waited() async throws {
        for _ in 0..<(Torture.isLong ? 1000 : 5) {
            let (code, output) = try await ending("waited")
            #expect(code == "exited(7)" && output == "0 threads are ending\n")
        }
    }

    @Test("Control: without the wait, threads are still ending when libcrypto has freed everything")
    func ignored() async throws {
        let (_, output) = try await ending("ignored")
        #expect(output != "0 threads are ending\n")
    }
}
