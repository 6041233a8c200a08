import Synchronization
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Work on several threads")
struct ParallelTests {
    private struct Stop: Error, Equatable { let piece: Int }

    private final class Tally: Sendable {
        let pieces = Mutex<[Int]>([])
        let threads = Mutex<Set<UInt>>([])
        func note(_ piece: Int) {
            pieces.withLock { $0.append(piece) }
            threads.withLock { _ = $0.insert(ThreadIdentity.current) }
        }
    }

    @Test(
        "Each piece is done once, by no more threads than there are tools",
        arguments: [0, 1, 2, 5, 1000])
    func once(pieces: Int) throws {
        for tools in [1, 2, 7] {
            let tally = Tally()
            var reported: [Int] = []
            try Parallel.run(pieces: pieces, with: Array(0..<tools)) { piece, _ in
                tally.note(piece)
            } progress: {
                reported.append($0)
            }
            #expect(tally.pieces.withLock { $0.sorted() } == Array(0..<pieces))
            #expect(tally.threads.withLock { $0.count } <= tools)
            #expect(reported.isEmpty == (pieces == 0))
            #expect(reported == reported.sorted() && reported.allSatisfy { (1...pieces).contains($0) })
        }
    }

    @Test("A tool is used by one thread at a time")
    func tools() throws {
        final class Tool: Sendable {
            let users = Mutex<Set<UInt>>([])
        }
        let tools = (0..<4).map { _ in Tool() }
        try Parallel.run(pieces: 500, with: tools) { _, tool in
            tool.users.withLock { _ = $0.insert(ThreadIdentity.current) }
        }
        #expect(tools.allSatisfy { $0.users.withLock { $0.count } <= 1 })
    }

    @Test("The first error ends it, and is thrown after every thread has ended")
    func failing() throws {
        let tally = Tally()
        let failure = #expect(throws: Stop.self) {
            try Parallel.run(pieces: 100_000, with: [1, 2, 3]) { piece, _ in
                tally.note(piece)
                if piece == 50 { throw Stop(piece: piece) }
            }
        }
        #expect(failure == Stop(piece: 50))
        let done = tally.pieces.withLock { $0.count }
        #expect(done < 100_000)
        #expect(tally.pieces.withLock { $0.count } == done)
    }

    @Test("An error thrown by the progress closure ends it, too")
    func cancelled() throws {
        let tally = Tally()
        #expect(throws: Stop.self) {
            try Parallel.run(pieces: 100_000, with: [1, 2]) { piece, _ in
                tally.note(piece)
            } progress: {
                if $0 >= 10 { throw Stop(piece: $0) }
            }
        }
        #expect(tally.pieces.withLock { $0.count } < 100_000)
    }

    @Test("When it returns, no thread holds a tool any more")
    func released() throws {
        final class Tool: Sendable {}
        struct Weak { weak var tool: Tool? }
        func run(failing: Bool) -> [Weak] {
            let tools = (0..<6).map { _ in Tool() }
            try? Parallel.run(pieces: 200, with: tools) { piece, _ in
                if failing, piece == 100 { throw Stop(piece: piece) }
            }
            return tools.map { Weak(tool: $0) }
        }
        for round in 0..<40 {
            #expect(run(failing: round % 2 == 1).allSatisfy { $0.tool == nil })
        }
    }

    @Test(
        "A list is worked through in its order, whatever its length",
        arguments: [0, 1, 3, 4, 7, 8, 9, 100, 1000])
    func map(_ count: Int) {
        let squares = Parallel.map(Array(0..<count), share: 4) { $0 * $0 }
        #expect(squares == (0..<count).map { $0 * $0 })
    }

    @Test(
        "Of several items that fail, the first one's error is thrown", arguments: [0, 1, 57, 998])
    func mapFails(_ first: Int) {
        let error = #expect(throws: LockstepError.self) {
            _ = try Parallel.map(Array(0..<1000), share: 4) { item throws(LockstepError) -> Int in
                guard item < first || item % 2 != first % 2 else {
                    throw LockstepError(.misuse, "item \(item)")
                }
                return item
            }
        }
        #expect(error?.message == "item \(first)")
    }
}
