import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Generated programs of tasks that call stores inside of calls of stores. A call that would wait for ever is found by
/// the stores' own graph of calls, or hangs the suite.
@Suite("Nested calls by seed", .serialized, .timeLimit(.minutes(Torture.minutes(40)))) struct NestingTests {
    private static let programs = Torture.isLong ? 5000 : 100

    @Test("Calls inside of calls end, or are refused, and nothing is half-written")
    func programs() async throws {
        guard let part = Campaign("NestingTests").begin() else { return }
        defer { part.end() }
        var (number, circles) = (UInt64(0), 0)
        while number < Self.programs, part.goesOn() {
            let program = NestingProgram(seed: Torture.campaignSeed &+ number)
            let run = try NestingRun(program, isTraced: !number.isMultiple(of: 3))
            let outcome = await run.outcome()
            number += 1
            circles += outcome.circles.count
            #expect(outcome.findings == [], "seed \(program.seed)")
            // In one store nothing is left for the graph to find.
            #expect(outcome.circles == [] || program.stores.count > 1, "seed \(program.seed)")
            part.count("tasks", program.tasks.count)
            part.count("calls", outcome.successes)
            part.count("refusals", outcome.refusals)
            part.count("circles of several stores", outcome.circles.count)
        }
        guard part.isComplete(for: "that several stores refuse circles") else { return }
        #expect(circles > 0)
    }

    @Test("If loops over chunks take the readers of others, tasks that wait for ever are found")
    func control() async throws {
        for seed in 0..<200 {
            let program = NestingProgram(seed: UInt64(seed), stores: 1)
            let run = try NestingRun(program, sharing: true, isTraced: true)
            if await !run.outcome().circles.isEmpty { return }
        }
        Issue.record("200 programs, and none waits")
    }
}
