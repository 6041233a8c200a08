import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Appends and reads of many tasks are serializable. The long form has histories of up to a million.
@Suite("Histories of a store", .timeLimit(.minutes(Torture.minutes(60))))
struct HistoryTests {
    private static let tasks = 8
    /// How many transactions each task has in each history.
    private static let lengths = Torture.isLong ? [500, 1500, 5000, 15_000, 45_000] : [500]

    private func history(
        _ plant: HistoryStore.Plant? = nil, seed: UInt64 = Torture.seed, transactions: Int,
        until isOver: @escaping @Sendable () -> Bool = { false }
    ) async throws -> History {
        let scratch = try DatabaseScratch()
        try scratch.create().run(script: HistoryStore.script)
        var options = StoreOptions()
        options.connection.synchronous = .normal
        options.readers = 3
        // Checkpoints are part of the run.
        options.checkpointPages = 40
        let store = try Store.open(scratch.path, rawKey: scratch.key(), options: options)
        let history = try await HistoryStore(store, plant).run(
            seed: seed, tasks: Self.tasks, transactions: transactions, until: isOver)
        try await store.close()
        return history
    }

    @Test("A store's transactions have one order, which agrees with time")
    func store() async throws {
        guard let part = Campaign("HistoryTests", seed: Torture.seed).begin() else { return }
        defer { part.end() }
        for (number, length) in Self.lengths.enumerated() where part.goesOn() {
            // The other half of the time is for the check.
            let end = part.secondsLeft.map { ContinuousClock.now + .seconds($0) / 2 }
            let history = try await history(
                seed: Torture.seed &+ UInt64(number), transactions: length,
                until: { part.isOver || end.map { ContinuousClock.now > $0 } ?? false })
            part.count("appends and reads", history.stepCount)
            part.count("transactions", history.transactions.count)
            #expect(HistoryCheck.findings(in: history) == [])
            if history.transactions.count < Self.tasks * length { part.stopAtTime() }
            guard part.isComplete(for: "the length of history \(number)") else { return }
            #expect(history.stepCount > Self.tasks * length * 2)
        }
    }

    @Test("A lost update is found", arguments: [HistoryStore.Plant.lostUpdate, .staleRead])
    func planted(_ plant: HistoryStore.Plant) async throws {
        let history = try await history(plant, transactions: 400)
        #expect(HistoryCheck.findings(in: history) != [])
    }

    // MARK: Histories of a few lines

    /// A history of transactions that overlap if their times do; a transaction is acknowledged unless stated otherwise.
    private func findings(
        _ transactions: [(began: Int, ended: Int, steps: [History.Step])], aborted: Set<Int> = [], final: [Int: [Int]]
    ) -> [String] {
        var history = History()
        history.transactions = transactions.enumerated().map { number, transaction in
            History.Transaction(
                began: transaction.began, ended: transaction.ended,
                end: aborted.contains(number) ? .aborted : .acknowledged, steps: transaction.steps)
        }
        history.final = final
        return HistoryCheck.findings(in: history)
    }

    @Test("A valid history has no findings")
    func ordered() {
        #expect(
            findings(
                [
                    (0, 5, [.append(key: 1, value: 10), .read(key: 1, values: [10])]),
                    (1, 2, [.read(key: 1, values: [])]),
                    (3, 4, [.read(key: 1, values: [10])]),
                    (6, 7, [.append(key: 1, value: 11), .append(key: 1, value: 12)]),
                    (8, 9, [.append(key: 1, value: 13)]),
                ], aborted: [4], final: [1: [10, 11, 12]]) == [])
    }

    @Test("An acknowledged append that is lost")
    func lost() {
        #expect(
            findings([(0, 1, [.append(key: 1, value: 10)])], final: [:])
                == ["10 was acknowledged, and list 1 does not have it"])
    }

    @Test("A rolled-back value that is seen or stays")
    func takenBack() {
        let write: (Int, Int, [History.Step]) = (0, 9, [.append(key: 1, value: 10)])
        let seen = findings([write, (1, 2, [.read(key: 1, values: [10])])], aborted: [0], final: [:])
        #expect(seen.contains("transaction 1 read 10 of one that was taken back"))
        let kept = findings([write], aborted: [0], final: [1: [10]])
        #expect(kept == ["list 1 keeps 10 of one that was taken back"])
    }

    @Test("A partially visible transaction")
    func half() {
        let findings = findings(
            [(0, 9, [.append(key: 1, value: 10), .append(key: 1, value: 11)]), (1, 2, [.read(key: 1, values: [10])])],
            final: [1: [10, 11]])
        #expect(findings.first?.contains("each come before the others") == true)
    }

    @Test("Two transactions, neither of which saw the other's write")
    func skew() {
        let findings = findings(
            [
                (0, 9, [.read(key: 1, values: []), .append(key: 2, value: 20)]),
                (1, 8, [.read(key: 2, values: []), .append(key: 1, value: 10)]),
            ], final: [1: [10], 2: [20]])
        #expect(findings.first?.contains("does not see") == true)
    }

    @Test("A read that is older than a transaction that ended before it")
    func stale() {
        let findings = findings(
            [(0, 1, [.append(key: 1, value: 10)]), (2, 3, [.read(key: 1, values: [])])], final: [1: [10]])
        #expect(findings.first?.contains("does not see, ends before") == true)
    }

    @Test("Two readers that saw two writers in different orders")
    func fork() {
        let findings = findings(
            [
                (0, 9, [.append(key: 1, value: 10)]), (0, 9, [.append(key: 2, value: 20)]),
                (0, 9, [.read(key: 1, values: [10]), .read(key: 2, values: [])]),
                (0, 9, [.read(key: 1, values: []), .read(key: 2, values: [20])]),
            ], final: [1: [10], 2: [20]])
        #expect(findings.first?.hasPrefix("4 transactions each come before the others") == true)
    }

    @Test("A transaction that does not see its own writes")
    func within() {
        let findings = findings([(0, 1, [.append(key: 1, value: 10), .read(key: 1, values: [])])], final: [1: [10]])
        #expect(findings.contains { $0.hasSuffix("and itself knew better") })
    }
}
