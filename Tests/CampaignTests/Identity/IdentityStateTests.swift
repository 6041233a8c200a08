import Synchronization
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Each combination of an identity, a registry, guards, a ledger and keyrings that are not the file's own is refused by
/// every command with field keys, or declared in SECURITY.md; and no command writes plaintext.
@Suite("What an operator can make of one of two databases")
struct IdentityStateTests {
    /// The number of combinations of a state and a command: a few in a plain test run, all with LOCKSTEP_TORTURE=1.
    private static let sample = 72

    private struct Step {
        let state: IdentityState
        let command: IdentityCommand
    }

    private static let steps = IdentityState.all.flatMap { state in
        IdentityCommand.allCases.map { Step(state: state, command: $0) }
    }

    /// - Parameter note: Receives the reason why it is accepted, if there is one.
    private func expect(_ step: Step, _ note: (Undetected?) -> Void = { _ in }) throws {
        let bench = try IdentityPrototype.database(in: step.state)
        let outcome = try step.command.run(
            bench, isForeign: step.state.registry == .exchanged && !step.state.isShared)
        let context: Comment = "\(step.state): \(step.command)"
        let declared = step.state.isIntact ? nil : IdentityCases.declared(step.state, step.command)
        #expect(!outcome.hasSpilled, context)
        guard !outcome.isRefused else { return note(nil) }
        #expect(declared != nil || step.state.isIntact, context)
        note(declared)
    }

    @Test("What nobody has touched is accepted by every command")
    func untouched() throws {
        for intact in IdentityState.all where intact.isIntact {
            for command in IdentityCommand.allCases {
                let bench = try IdentityPrototype.database(in: intact)
                let outcome = try command.run(bench)
                #expect(!outcome.isRefused && !outcome.hasSpilled, "\(intact): \(command)")
            }
        }
    }

    @Test("Who has a slot of the database keyring lists a new identity, and who has none does not")
    func listed() throws {
        for isListed in [true, false] {
            let state = IdentityState(
                registry: .stripped, identity: .new, hasGuards: true, hasLedger: true, keyrings: .now,
                isListed: isListed)
            let bench = try IdentityPrototype.database(in: state)
            var id: [UInt8]?
            try bench.tamper { connection in id = try connection.databaseID() }
            let known = try bench.keyring().summary.databases.map(\.identity)
            #expect(try known.contains(#require(id)) == isListed)
        }
    }

    @Test("The attacks that were found by hand", arguments: IdentityState.known)
    func known(_ state: IdentityState) throws {
        for command in IdentityCommand.allCases {
            try expect(Step(state: state, command: command))
        }
    }

    @Test("Every state that is not intact is refused by every command, or declared")
    func campaign() throws {
        guard let part = Campaign("IdentityStateTests").begin() else { return }
        defer { part.end() }
        var generator = SplitMix64(state: Torture.campaignSeed)
        let steps = Self.steps.shuffled(using: &generator)
        var met: Set<Undetected> = []
        for step in steps.prefix(Torture.isLong ? steps.count : Self.sample) where part.goesOn() {
            try expect(step) { declared in
                part.count(declared == nil ? "refused or intact" : "declared")
                if let declared { met.insert(declared) }
            }
        }
        guard Torture.isLong, part.isComplete(for: "every declared case is met") else { return }
        #expect(met == IdentityCases.all)
    }

    @Test(
        "Negative control: without the keyrings' memory, a state is accepted and plaintext is written"
    )
    func credulous() throws {
        var accepted = 0
        var spilled = 0
        for state in IdentityState.known where state.keyrings == .now && state.identity == .own {
            for command in [IdentityCommand.open, .write, .importing] {
                let bench = try IdentityPrototype.database(in: state)
                let outcome = try command.run(bench, isCredulous: true)
                if !outcome.isRefused, IdentityCases.declared(state, command) == nil {
                    accepted += 1
                }
                if outcome.hasSpilled { spilled += 1 }
            }
        }
        #expect(accepted > 0 && spilled > 0, "\(accepted) accepted, \(spilled) spilled")
    }
}

/// Why a command may accept a state that is not intact.
enum IdentityCases {
    /// What a complete run of the campaign meets: a line that nothing meets any more is not true any more.
    static let all: Set<Undetected> = [.ledger, .guards]

    static func declared(_ state: IdentityState, _ command: IdentityCommand) -> Undetected? {
        guard state.registry == .intact, state.identity == .own else { return nil }
        switch state.keyrings {
        case .olderFields, .olderDatabase: return nil
        case .now: return state.hasLedger ? .guards : .ledger
        }
    }
}
