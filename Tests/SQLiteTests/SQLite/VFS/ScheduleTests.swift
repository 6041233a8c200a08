import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Runs one operation at every point of another (Tests/Campaigns/ScheduleExplorer): the result is that of one of their
/// orders, or one was refused. The long form runs every pair; a plain run takes some pairs, at some points.
@Suite("Schedules of two operations", .serialized, .timeLimit(.minutes(Torture.minutes(60)))) struct ScheduleTests {
    private func explore(
        _ pairs: [String], seconds: Int, points: String, isGuarded: Bool = true
    ) async throws -> (code: TerminationStatus, text: String) {
        let folder = try TemporaryFolder()
        let result = try await Subprocess.run(
            .path(Programs.path("ScheduleExplorer")),
            arguments: .init(
                [
                    "explore", folder.path.string, "\(Torture.campaignSeed)", "\(seconds)",
                    points, isGuarded ? "on" : "off",
                ] + pairs), output: .string(limit: 1_000_000), error: .string(limit: 10_000))
        return (result.terminationStatus, result.standardOutput + result.standardError)
    }

    @Test("A write while a PASSIVE checkpoint examines the log is not lost")
    func race() async throws {
        let guarded = try await explore(["passive:write:held"], seconds: 300, points: "1")
        #expect(guarded.code == .exited(0), "\(guarded.text)")
        let unguarded = try await explore(["passive:write:held"], seconds: 300, points: "1", isGuarded: false)
        #expect(unguarded.code == .exited(3))
        #expect(unguarded.text.contains("FINDING: passive × write, held"), "\(unguarded.text)")
    }

    @Test("A database that is opened while its key changes leaves WAL mode once, or not at all")
    func leavingWAL() async throws {
        // The window has three points. Where it is, the control finds.
        let unguarded = try await explore(["rotate:seal:closed"], seconds: 300, points: "2", isGuarded: false)
        #expect(unguarded.code == .exited(3))
        let found = try #require(
            unguarded.text.firstMatch(of: /point (\d+): .*does not open: damaged/), "\(unguarded.text)")
        let point = try #require(Int(found.1))
        let points = Torture.isLong ? "1" : "\(max(1, point - 8))-\(point + 8)"
        let guarded = try await explore(["rotate:seal:closed"], seconds: 300, points: points)
        #expect(guarded.code == .exited(0), "\(guarded.text)")
    }

    @Test("A verification beside a migration or a rotation reports no failure of its own")
    func verifying() async throws {
        let result = try await explore(["verify:migrate:held", "verify:rotate:closed"], seconds: 300, points: "7")
        #expect(result.code == .exited(0), "\(result.text)")
    }

    @Test("Pairs of operations")
    func pairs() async throws {
        let operations = [
            "write", "passive", "full", "truncate", "backup", "seal", "migrate", "verify", "close", "recover", "renew",
        ]
        guard let part = Campaign("ScheduleTests").begin() else { return }
        defer { part.end() }
        var random = SplitMix64(state: Torture.campaignSeed)
        let all = operations.flatMap { first in operations.map { "\(first):\($0)" } }
        let shuffled = all.shuffled(using: &random)
        let steps = Torture.isLong ? shuffled.map { [$0] } : [Array(shuffled.prefix(8))]
        for pairs in steps where part.goesOn() {
            let result = try await explore(
                pairs, seconds: Torture.isLong ? part.secondsLeft ?? 3000 : 20, points: Torture.isLong ? "1" : "11")
            #expect(result.code == .exited(0), "\(result.text)")
            let last = try #require(
                result.text.firstMatch(of: /: (\d+) schedules of \d+ pairs, (\d+) findings, .*, (complete|stopped)/),
                "\(result.text)")
            part.count("schedules", Int(last.1) ?? 0)
            part.count("findings", Int(last.2) ?? 0)
            if last.3 == "stopped" { part.stopAtTime() }
        }
    }
}
