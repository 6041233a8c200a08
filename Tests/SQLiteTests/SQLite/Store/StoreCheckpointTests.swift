import Foundation
import Synchronization
import SystemPackage
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// How a store keeps its write-ahead log short.
@Suite("Checkpoints of a store", .timeLimit(.minutes(20)))
struct StoreCheckpointTests: NumberStore {
    let scratch: DatabaseScratch

    init() throws {
        scratch = try Self.makeScratch()
        try prepareTable("CREATE TABLE big (id INTEGER PRIMARY KEY, body BLOB)")
    }

    /// Writes about five pages.
    private static let add: Part<Void> = { connection in
        try connection.execute("INSERT INTO big (body) VALUES (zeroblob(16000))")
    }

    /// The log's length in pages.
    private func pagesInLog() throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch.side("-wal").string)
        return (attributes[.size] as? Int ?? 0) / 4096
    }

    @Test("Under a steady load the log stays bounded, and no write fails")
    func bounded() async throws {
        let store = try openStore { $0.checkpointPages = 50 }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { for _ in 0..<100 { try await store.write(Self.add) } }
            }
            try await group.waitForAll()
        }
        // 400 writes of 5 pages each would be 2,000. However late the checkpoints' thread runs, the writer waits for it
        // and copies the rest itself once the log has 8 × 50 pages; the group that exceeds this adds at most the pages
        // of four writes.
        #expect(try pagesInLog() <= 8 * 50 + 4 * 10)
        let count: Int? = try await store.read { try $0.value("SELECT count(*) FROM big") }
        #expect(count == 400)
        try await store.close()
        let audit = try await JobThread.run { try PageAudit(scratch.path).run(key: scratch.key()) }
        #expect(audit.isClean)
    }

    @Test("A reader of an old snapshot makes the log grow; when it has gone, the log restarts")
    func busyReader() async throws {
        let store = try openStore { $0.checkpointPages = 20 }
        try await store.write(Self.add)
        let grown = try open().read { connection throws in
            let before: Int? = try connection.value("SELECT count(*) FROM big")
            for _ in 0..<100 { try store.blocking.write(Self.add) }
            #expect(try connection.value("SELECT count(*) FROM big") == before)
            return try pagesInLog()
        }
        #expect(grown > 300)
        for _ in 0..<300 { try await store.write(Self.add) }
        #expect(try pagesInLog() < 2 * grown)
    }

    @Test("A checkpoint copies the whole log, and truncating empties its file")
    func results() throws {
        let store = try openStore { $0.checkpointPages = 1_000_000 }
        for _ in 0..<10 { try store.writeHere(Self.add) }
        let passive = try store.aloneHere { try $0.checkpoint(.passive) }
        #expect(passive.isComplete && passive.pagesInLog > 30)
        #expect(try pagesInLog() > 30)
        let truncated = try store.aloneHere { try $0.checkpoint(.truncate) }
        #expect(truncated == CheckpointResult(pagesInLog: 0, pagesCopied: 0))
        #expect(try pagesInLog() == 0)
    }

    @Test("A reader of an old snapshot makes a checkpoint incomplete, and truncating busy")
    func checkpointBesideReader() throws {
        let store = try openStore {
            $0.checkpointPages = 1_000_000
            $0.connection.busyTimeout = .zero
        }
        try store.writeHere(Self.add)
        try open().read { connection throws in
            _ = try connection.value("SELECT count(*) FROM big", as: Int.self)
            try store.blocking.write(Self.add)
            let passive = try store.blocking.withoutTransaction { try $0.checkpoint() }
            #expect(!passive.isComplete && passive.pagesCopied > 0)
            Refusal.expect(.busy) {
                _ = try store.blocking.withoutTransaction { try $0.checkpoint(.truncate) }
            }
            try store.blocking.write(Self.add)
        }
        #expect(try store.aloneHere { try $0.checkpoint(.full) }.isComplete)
    }

    @Test("A checkpoint inside a transaction is refused")
    func insideTransaction() throws {
        let store = try openStore()
        Refusal.expect(.misuse) { _ = try store.blocking.write { try $0.checkpoint() } }
    }

    @Test("A requested checkpoint does not fail because of one in the background") func besideBackground() throws {
        let store = try openStore { $0.checkpointPages = 1 }
        for _ in 0..<60 {
            try store.writeHere(Self.add)
            _ = try store.aloneHere { try $0.checkpoint(.truncate) }
        }
        #expect(try pagesInLog() == 0)
    }

    // MARK: A checkpoint in progress

    /// Keeps the checkpoint thread busy until long after a call of `end()`.
    private final class Obstacle: Sendable {
        private let hasBegunToEnd = Latch()
        private let isOver = Atomic<Bool>(false)

        func end() { hasBegunToEnd.open() }

        var hasEnded: Bool { isOver.load(ordering: .acquiring) }

        /// The thread's next task waits for it.
        func occupy(_ store: Store) throws {
            try #require(store.checkpointer).pooled.worker.submit {
                self.hasBegunToEnd.wait()
                // About a hundred times as long as the few writes that must not overtake it. Measured by the clock:
                // when other threads compete for all processors, one turn takes milliseconds.
                let end = ContinuousClock.now + .milliseconds(100)
                while ContinuousClock.now < end { ThreadIdentity.yield() }
                self.isOver.store(true, ordering: .releasing)
            }
        }
    }

    @Test("Work outside transactions waits for the checkpoint in progress") func outsideTransactions() throws {
        let store = try openStore { $0.checkpointPages = 1 }
        let obstacle = Obstacle()
        defer { obstacle.end() }
        try obstacle.occupy(store)
        try store.writeHere(Self.add)
        obstacle.end()
        let hasEnded = try store.aloneHere { _ in obstacle.hasEnded }
        #expect(hasEnded)
    }

    @Test("A writer at the log's limit waits for the checkpoint in progress")
    func limit() throws {
        let store = try openStore { $0.checkpointPages = 20 }
        let obstacle = Obstacle()
        defer { obstacle.end() }
        try obstacle.occupy(store)
        while try pagesInLog() < 7 * 20 { try store.writeHere(Self.add) }
        obstacle.end()
        for _ in 0..<8 { try store.writeHere(Self.add) }
        #expect(obstacle.hasEnded)
        #expect(try pagesInLog() <= 8 * 20 + 10)
    }
}
