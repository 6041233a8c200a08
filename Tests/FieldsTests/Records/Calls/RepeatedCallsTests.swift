import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Every kind of call of a store in a process of its own, often: what a call keeps would add up.
@Suite("Repeated calls", .timeLimit(.minutes(Torture.minutes(60))))
struct RepeatedCallsTests {
    /// What calls may keep in all, for caches that grow late: a leak of 80 bytes in each call of the short form shows,
    /// of 2 bytes in the long one.
    private static let allowed = 128 * 1024

    @Test("The memory in use after ten times as many calls is what it was, and sealed values do not stay")
    func memory() async throws {
        let folder = try TemporaryFolder()
        let count = Torture.isLong ? 10_000 : 200
        let result = try await run(
            .path(Programs.path("Worker")), arguments: ["repeated-calls", folder.path.string, "\(count)"],
            output: .string(limit: 100_000), error: .string(limit: 100_000))
        let lines = result.standardOutput.split(separator: "\n")
        #expect(
            result.terminationStatus.isSuccess && lines.count == 21, "\(result.standardOutput)\(result.standardError)")
        for line in lines.dropLast() {
            let fields = line.split(separator: "\t")
            let (before, after) = (try #require(Int(fields[1])), try #require(Int(fields[2])))
            #expect(
                after - before < Self.allowed,
                "\(fields[0]): \(before) bytes after \(count), \(after) after ten times as many")
        }
        // Freed memory is used again: a few of thousands of values lie in it until then.
        let found = try #require(lines.last?.split(separator: " ").compactMap { Int($0) }.first)
        #expect(found < 100, "\(found) of more than \(10 * count) values")
    }
}
