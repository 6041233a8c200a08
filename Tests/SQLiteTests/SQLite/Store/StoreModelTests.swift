import Foundation
import Synchronization
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Eight writers and eight readers, checked against a model outside the database.
@Suite("Store under load", .timeLimit(.minutes(Torture.minutes(20))))
struct StoreModelTests {
    private let scratch: DatabaseScratch
    private let store: Store
    private static let campaign = Campaign("StoreModelTests", seed: Torture.seed)
    /// Entries whose writes have returned.
    private let acknowledged = Counter()
    private let reads = Counter()
    private let writersDone = Counter()
    private let known = Known()
    /// Signalled by each write, so that readers run throughout but otherwise leave the processors to others.
    private let beat = Beat()

    /// The writers' knowledge at the end.
    // Sendable by this proof: `knowledge` is touched only while the lock is held. Not a Mutex: the thread
    // sanitizer does not know it for a lock.
    private final class Known: @unchecked Sendable {
        private let lock = WaitCondition()
        private var knowledge: [WriterKnowledge] = []
        var all: [WriterKnowledge] { lock.locked { knowledge } }
        func add(_ one: WriterKnowledge) { lock.locked { knowledge.append(one) } }
    }

    /// The signal that readers wait for.
    // Sendable by this proof: every property is touched only while the lock is held.
    private final class Beat: @unchecked Sendable {
        private let changed = WaitCondition()
        private var count = 0
        private var hasEnded = false
        private var listeners: [AsyncStream<Void>.Continuation] = []

        /// Beats without a waiting reader count as one.
        func stream() -> AsyncStream<Void> {
            let (stream, listener) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            changed.locked { listeners.append(listener) }
            return stream
        }

        func report() {
            let listeners = changed.locked {
                count += 1
                return self.listeners
            }
            changed.broadcast()
            for listener in listeners { listener.yield() }
        }

        func end() {
            let listeners = changed.locked {
                hasEnded = true
                return self.listeners
            }
            changed.broadcast()
            for listener in listeners { listener.finish() }
        }

        /// False at the end.
        func waitForNext(after seen: inout Int) -> Bool {
            changed.locked {
                while count == seen && !hasEnded { changed.wait() }
                seen = count
                return !hasEnded
            }
        }
    }

    init() throws {
        scratch = try DatabaseScratch()
        do { try scratch.create().run(script: StoreModel.script) }
        var options = StoreOptions()
        options.connection.synchronous = .normal
        options.checkpointPages = 100
        store = try Store.open(scratch.path, rawKey: scratch.key(), options: options)
    }

    // MARK: Writers

    /// A writer's next step: what to run, and what it knows afterwards.
    private struct Step {
        let part: Part<Void>
        /// Whether it is expected to succeed.
        var isExpected = true
        /// Whether its task is cancelled, soon or late.
        var isCancelled = false
        var isEntry = false
        var learn: (inout WriterKnowledge) -> Void = { _ in }
    }

    private func step(
        of knowledge: WriterKnowledge, _ random: inout SplitMix64
    ) -> Step {
        let writer = knowledge.writer
        let key = Int.random(in: 0..<30, using: &random)
        let value = Int.random(in: 0..<1_000_000, using: &random)
        let (from, to) = (value % StoreModel.accounts, value / 100 % StoreModel.accounts)
        let undone: Part<Void> = { connection in
            try StoreModel.transfer(7, from: from, to: to)(connection)
            try StoreModel.set(-1, at: key, writer: writer)(connection)
        }
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6: return Step(part: StoreModel.transfer(value % 50, from: from, to: to))
        case 6..<12:
            let size = value % 20 == 0 ? 9000 : value % 60
            return Step(
                part: StoreModel.append(writer: writer, place: knowledge.places, size: size),
                isEntry: true, learn: { $0.places += 1 })
        case 12..<15:
            return Step(part: StoreModel.set(value, at: key, writer: writer), learn: { $0.items[key] = value })
        case 15:
            return Step(
                part: StoreModel.set(nil, at: key, writer: writer), learn: { $0.items[key] = nil })
        case 16:
            // Part of it is undone, the rest is not.
            return Step(
                part: { connection in
                    try StoreModel.set(value, at: key, writer: writer)(connection)
                    try? connection.savepoint { connection in
                        try undone(connection)
                        throw Stop()
                    }
                }, learn: { $0.items[key] = value })
        case 17:
            return Step(
                part: { connection in
                    try undone(connection)
                    throw Stop()
                }, isExpected: false)
        case 18:
            return Step(
                part: { connection in
                    try undone(connection)
                    try connection.execute("INSERT INTO orphan VALUES (1)")
                }, isExpected: false)
        default:
            return Step(
                part: { connection in
                    try undone(connection)
                    try connection.execute("INSERT OR ROLLBACK INTO account VALUES (0, 0)")
                }, isExpected: false)
        }
    }

    private func note(_ step: Step, _ result: Result<Void, any Error>, _ knowledge: inout WriterKnowledge) {
        let mayBeCancelled = step.isCancelled && result.isCancellation
        #expect(mayBeCancelled || result.isSuccess == step.isExpected, "\(result)")
        guard result.isSuccess else { return }
        step.learn(&knowledge)
        if step.isEntry { acknowledged.increase() }
    }

    private func writeAsync(_ writer: Int, _ part: CampaignPart) async -> WriterKnowledge {
        var random = SplitMix64(stream: writer)
        var knowledge = WriterKnowledge(writer: writer)
        var count = 0
        while part.goesOn(after: count, of: 150) {
            var step = step(of: knowledge, &random)
            let (store, part) = (store, step.part)
            let task = Task { try await store.write(part) }
            if Int.random(in: 0..<10, using: &random) == 0 {
                step.isCancelled = true
                for _ in 0..<Int.random(in: 0..<5, using: &random) { await Task.yield() }
                task.cancel()
            }
            note(step, await task.result, &knowledge)
            beat.report()
            count += 1
        }
        endWriter()
        return knowledge
    }

    private func writeBlocking(_ writer: Int, _ part: CampaignPart) -> WriterKnowledge {
        var random = SplitMix64(stream: writer)
        var knowledge = WriterKnowledge(writer: writer)
        var count = 0
        while part.goesOn(after: count, of: 150) {
            let step = step(of: knowledge, &random)
            note(step, Result { try store.blocking.write(step.part) }, &knowledge)
            beat.report()
            count += 1
        }
        endWriter()
        return knowledge
    }

    // MARK: Readers

    private static let writers = 8

    /// Judges what one reader saw, in a read that began when this many entries were acknowledged.
    private func judge(_ sights: (StoreModel.Sight, StoreModel.Sight), after known: Int, _ last: inout Int) {
        let (first, second) = sights
        #expect(first.isSound, "\(first)")
        #expect(first == second, "one snapshot is one state")
        #expect(first.count >= known, "what was acknowledged is seen")
        #expect(first.count >= last, "nobody sees what was before what he has seen")
        last = first.count
        reads.increase()
    }

    private static let readsOfABeat = 4

    private func readAsync(_ beats: AsyncStream<Void>) async throws {
        var last = 0
        for await _ in beats {
            for _ in 0..<Self.readsOfABeat {
                let known = acknowledged.value
                judge(try await store.read(StoreModel.look), after: known, &last)
            }
        }
    }

    private func readBlocking() throws {
        var (last, seen) = (0, 0)
        while beat.waitForNext(after: &seen) {
            for _ in 0..<Self.readsOfABeat {
                let known = acknowledged.value
                judge(try store.blocking.read(StoreModel.look), after: known, &last)
            }
        }
    }

    private func endWriter() {
        writersDone.increase()
        if writersDone.value == Self.writers { beat.end() }
    }

    // MARK: All together

    @Test("No row is lost, torn or invented while eight tasks write and eight read")
    func load() async throws {
        guard let part = Self.campaign.begin() else { return }
        defer { part.end() }
        let streams = (0..<6).map { _ in beat.stream() }
        let threads =
            (0..<2).map { writer in
                TestThread {
                    let knowledge = self.writeBlocking(writer, part)
                    self.known.add(knowledge)
                }
            } + (0..<2).map { _ in TestThread { try self.readBlocking() } }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 2..<Self.writers {
                group.addTask {
                    let knowledge = await self.writeAsync(writer, part)
                    self.known.add(knowledge)
                }
            }
            for beats in streams { group.addTask { try await self.readAsync(beats) } }
            try await group.waitForAll()
        }
        for thread in threads { try await thread.end() }

        // A beat without a waiting reader is kept until the reader waits.
        #expect(reads.value >= streams.count * Self.readsOfABeat)
        try await store.close()
        let audit = try await JobThread.run { try PageAudit(scratch.path).run(key: scratch.key()) }
        #expect(audit.isClean)
        let connection = try scratch.open()
        #expect(try connection.value("PRAGMA integrity_check", as: String.self) == "ok")
        let sight = try StoreModel.Sight(connection)
        #expect(sight.isSound, "\(sight)")
        #expect(sight.count == acknowledged.value)
        for knowledge in known.all {
            #expect(try knowledge.difference(connection) == nil)
        }
        part.count("entries", acknowledged.value)
        part.count("reads", reads.value)
    }
}
