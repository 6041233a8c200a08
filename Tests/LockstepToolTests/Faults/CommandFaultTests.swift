import Foundation
import Subprocess
import TestSupport
import Testing

/// Every command that writes is tested with faults in system calls: it is killed, killed in the middle of a write, a
/// call fails, the disk is full, the power fails. Afterwards the database is in its state before or after the command,
/// and running the command again completes it. The long form uses a hundred calls of each; a plain run
/// uses some.
@Suite("Commands under faults", .timeLimit(.minutes(Torture.minutes(120))))
struct CommandFaultTests {
    /// Faults of each command in a plain run, and in the torture run.
    private static let most = Torture.isLong ? 600 : 1

    private static let campaign = Campaign("CommandFaultTests", parts: scenarios.count)
    /// In the long form in another order each time, so that a short one does not leave out the same commands.
    private static let scenarios: [CommandScenario] = {
        var random = SplitMix64(state: Torture.campaignSeed)
        return Torture.isLong ? CommandScenario.all.shuffled(using: &random) : CommandScenario.all
    }()

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(
        "Before or after, and completed by the next run",
        .enabled(if: CommandFaults.isPossible, "not Linux"), arguments: scenarios)
    func faults(_ scenario: CommandScenario) async throws {
        guard let part = Self.campaign.begin("\(scenario)") else { return }
        defer { part.end() }
        let library = try await CommandFaults.makeLibrary(in: folder)
        let faults = try await CommandFaults(scenario, library: library)
        let whole = try await Whole(faults)
        var random = SplitMix64(state: Torture.campaignSeed)
        for call in Self.calls(whole.calls, &random) {
            for fault in Self.faults(&random) where part.goesOn() {
                try await check(faults, whole, fault, call, part)
                part.count("faults")
            }
        }
    }

    @Test(
        "An init that is killed at any call is ended by the same init, and by no other",
        .enabled(if: CommandFaults.isPossible, "not Linux"))
    func killedInit() async throws {
        let library = try await CommandFaults.makeLibrary(in: folder)
        let scenario = try #require(CommandScenario.all.first { $0.name == "init" })
        let faults = try await CommandFaults(scenario, library: library)
        let whole = try await Whole(faults)
        var takenOver = 0
        let first = Torture.isLong ? 1 : 1 + Int(Torture.campaignSeed % 6)
        for call in stride(from: first, through: whole.calls, by: Torture.isLong ? 1 : 6) {
            try faults.restore()
            #expect(try await faults.run(.kill, at: call).status == .signaled(SIGKILL), "\(call)")
            let isMade = try faults.names().contains("data.db")
            let isBegun = try faults.names().contains("data.db.keys/database.keyring")
            if isBegun, !isMade, takenOver == 0 {
                let other = try await faults.shell(
                    "lockstep keys create-key-file l\nlockstep init --key-file l --dataset goods")
                #expect(other.status == .exited(1), "\(call)")
                #expect(other.errors.contains("left from a command that was interrupted"))
                takenOver += 1
            }
            let again = try await faults.run()
            // Only its last words can have been missing.
            #expect(again.status == .exited(0) || isMade && again.status == .exited(1), "\(call): \(again.errors)")
            #expect(try await faults.probe() == whole.after, "\(call)")
            // A command that writes: after the last step, init has nothing more to do.
            let end = try await faults.shell("lockstep migrate --key-file k --fields goods -m shop")
            #expect(end.status == .exited(0), "\(call): \(end.errors)")
            let left = try faults.names().filter { $0.contains(".new") || $0.contains("-journal") }
            #expect(left == [], "\(call)")
        }
        #expect(takenOver > 0)
    }

    /// The command's result without a fault.
    private struct Whole {
        let before: String
        let after: String
        let calls: Int
        let names: Set<String>

        init(_ faults: CommandFaults) async throws {
            try faults.restore()
            before = try await faults.probe()
            let run = try await faults.run()
            #expect(run.status == .exited(0), "\(faults.scenario): \(run.errors)")
            calls = try #require(run.calls)
            after = try await faults.probe()
            names = try faults.names()
            #expect(calls > 0)
            let again = try await faults.run()
            #expect(
                again.status == .exited(0) || faults.scenario.again.contains { again.status == .exited($0) },
                "\(faults.scenario), again: \(again.status) \(again.errors)")
        }
    }

    private static func calls(_ count: Int, _ random: inout SplitMix64) -> [Int] {
        let runs = max(most / (Torture.isLong ? CommandFaults.Fault.allCases.count : 1), 1)
        return Array((1...count).shuffled(using: &random).prefix(runs)).sorted()
    }

    private static func faults(_ random: inout SplitMix64) -> [CommandFaults.Fault] {
        let all = CommandFaults.Fault.allCases.filter { $0 != .lie }
        return Torture.isLong ? all : Array(all.shuffled(using: &random).prefix(1))
    }

    private func check(
        _ faults: CommandFaults, _ whole: Whole, _ fault: CommandFaults.Fault, _ call: Int, _ part: CampaignPart
    ) async throws {
        let scenario = faults.scenario
        let place = "\(scenario), \(fault) at \(call) of \(whole.calls)"
        try faults.restore()
        let run = try await faults.run(fault, at: call)
        let left = try await faults.probe()
        let isDone = left == whole.after
        if fault.ends {
            #expect(
                run.status == .signaled(SIGKILL) || run.status == .exited(0), "\(place): \(run.status) \(run.errors)")
        } else if case .exited(let code) = run.status {
            #expect(code != 0 || isDone, "\(place): it reports success, and is not done")
            #expect(code == 0 || run.errors.contains("error: "), "\(place): \(run.errors)")
        } else {
            Issue.record("\(place): \(run.status) \(run.errors)")
        }
        if !scenario.hasSteps {
            #expect(isDone || left == whole.before, "\(place): neither before nor after:\n\(left)")
        }
        // What the next run ends is neither damage nor drift, except a version that was begun.
        if let verified = try await faults.verify() {
            let isBegun = verified.text.contains("was begun but not finished")
            let isAlarm = [65, isBegun ? 65 : 4].contains { verified.status == .exited($0) }
            #expect(!isAlarm, "\(place), then verify:\n\(verified.text)\(verified.errors)")
            if case .exited(let code) = verified.status {
                part.count("verify ended with \(code)\(code == 4 ? " of a begun version" : "")")
            }
        }
        let again = try await faults.recover()
        let isAllowed = again.status == .exited(0) || isDone && scenario.again.contains { again.status == .exited($0) }
        #expect(isAllowed, "\(place), again: \(again.status) \(again.errors)")
        let end = try await faults.probe()
        #expect(end == whole.after, "\(place), again:\n\(end)\nand not\n\(whole.after)")
    }
}
