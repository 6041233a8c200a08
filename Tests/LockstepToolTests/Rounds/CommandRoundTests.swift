import TestSupport
import Testing

/// Two to four simultaneous commands, a third of them killed, beside a program that writes: acknowledged writes stay.
///
/// The long form runs a thousand rounds.
@Suite("Simultaneous commands", .serialized, .timeLimit(.minutes(Torture.minutes(120)))) struct CommandRoundTests {
    private static let rounds = Torture.isLong ? 1000 : 4

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test("No acknowledged write is lost", .enabled(if: CommandFaults.isPossible, "not Linux"))
    func rounds() async throws {
        guard let part = Campaign("CommandRoundTests").begin() else { return }
        defer { part.end() }
        var rounds = try await CommandRounds(library: CommandFaults.makeLibrary(in: folder))
        var random = SplitMix64(state: Torture.campaignSeed)
        for _ in 0..<Self.rounds where part.goesOn() {
            let before = rounds.findings.count
            try await rounds.round(RoundCommand.all, &random)
            for finding in rounds.findings.dropFirst(before) { Issue.record("\(finding)") }
        }
        let counts = rounds.counts
        part.count("commands at once", counts.commands)
        part.count("kills", counts.killed)
        part.count("writes beside", counts.notes)
        if Torture.isLong {
            for (what, count) in counts.refusals.sorted(by: { $0.key < $1.key }) {
                print("    rounds refused \(count) times: \(what)")
            }
        }
        if part.isComplete(for: "that writes were made") { #expect(counts.notes > 0) }
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
