import TestSupport
import Testing

/// Two to four simultaneous commands, a third of them killed, beside a program that writes: acknowledged writes stay.
///
/// `LOCKSTEP_TORTURE=1` runs a thousand rounds, `LOCKSTEP_TEST_SEED=N` uses another seed.
@Suite("Simultaneous commands", .serialized, .timeLimit(.minutes(120)))
struct CommandRoundTests {
    private static let rounds = Torture.isLong ? 1000 : 4

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("No acknowledged write is lost", .enabled(if: CommandFaults.isPossible, "not Linux"))
    func rounds() async throws {
        var rounds = try await CommandRounds(library: CommandFaults.makeLibrary(in: folder))
        var random = SplitMix64(state: Torture.campaignSeed)
        for _ in 0..<Self.rounds {
            let before = rounds.findings.count
            try await rounds.round(RoundCommand.all, &random)
            for finding in rounds.findings.dropFirst(before) { Issue.record("\(finding)") }
        }
        let counts = rounds.counts
        print(
            "\(counts.rounds) rounds of \(counts.commands) commands at once, \(counts.killed) killed, "
                + "beside \(counts.notes) writes")
        if Torture.isLong {
            for (what, count) in counts.refusals.sorted(by: { $0.key < $1.key }) {
                print("    rounds refused \(count) times: \(what)")
            }
        }
        #expect(counts.notes > 0)
    }

    @Test(
        "The control is found: a file that replaces the database",
        .enabled(if: CommandFaults.isPossible, "not Linux"))
    func control() async throws {
        var rounds = try await CommandRounds(library: CommandFaults.makeLibrary(in: folder))
        var random = SplitMix64(state: 1)
        let readers = RoundCommand.all.filter { ["query", "status"].contains($0.name) }
        for _ in 0..<10 where rounds.findings.isEmpty {
            try await rounds.round(readers, careless: .careless, &random)
        }
        #expect(!rounds.findings.isEmpty)
    }
}
