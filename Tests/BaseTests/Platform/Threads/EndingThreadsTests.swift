import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A process that ends right after its work, while its threads are still ending.
@Suite("Ending threads", .timeLimit(.minutes(Torture.minutes(10))))
struct EndingThreadsTests {
    private static let campaign = Campaign("EndingThreadsTests")

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

    @Test("A call whose thread cannot start is refused, and does not wait for ever")
    func withoutThreads() async throws {
        let result = try await run(
            .path("/usr/bin/env"), arguments: ["timeout", "60", Programs.path("Worker").string, "without-threads"],
            output: .string(limit: 10_000), error: .discarded)
        #expect(result.standardOutput.hasPrefix("refused: the system cannot create another thread"))
    }

    /// Runs a program several times at once, and returns the codes that it ended with.
    private func codes(
        of program: String, _ arguments: [String], times: Int, in folder: FilePath
    ) async throws -> [String] {
        let runOnce: @Sendable () async throws -> String = {
            let result = try await run(
                .path(Programs.path(program)), arguments: Arguments(arguments),
                workingDirectory: folder, output: .discarded, error: .discarded)
            return "\(result.terminationStatus)"
        }
        return try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<times { group.addTask { try await runOnce() } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(
        "Under load, the tool and a program that uses the library end with the code that they mean")
    func load() async throws {
        guard let part = Self.campaign.begin() else { return }
        defer { part.end() }
        let folder = try TemporaryFolder()
        try Bytes.write([UInt8](repeating: 7, count: 32), to: folder.file("k"))
        let tool = ["-d", "data.db", "--key-file", "k"]
        #expect(try await codes(of: "lockstep", ["init"] + tool, times: 1, in: folder.path) == ["exited(0)"])
        // Eight at once on a few processors.
        let rounds = Torture.isLong ? 125 : 1
        for _ in 0..<rounds where part.goesOn() {
            for _ in 0..<2 {
                let verified = try await codes(of: "lockstep", ["verify"] + tool, times: 8, in: folder.path)
                #expect(verified == [String](repeating: "exited(0)", count: 8))
                part.count("runs of verify", verified.count)
            }
            let ended = try await codes(of: "Worker", ["ends-threads", "plain"], times: 8, in: folder.path)
            #expect(ended == [String](repeating: "exited(7)", count: 8))
            part.count("runs of a program", ended.count)
        }
    }
}
