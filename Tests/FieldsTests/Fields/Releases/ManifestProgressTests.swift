import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Watching and stopping a release")
struct ManifestProgressTests {
    private struct Stop: Error {}

    private let bench: ReleaseWorkbench

    init() throws { bench = try ReleaseWorkbench(rows: 300) }

    private func make(_ progress: JobProgress.Handler) throws -> Manifest {
        try Manifest.make(bench.publisher.ring, in: bench.open(), progress: progress)
    }

    private func check(_ progress: JobProgress.Handler) throws -> ManifestReport {
        try Manifest.check(bench.open(), publisher: bench.pinned, progress: progress)
    }

    @Test("Making and checking report the rows of each table, from none to all")
    func watched() throws {
        var seen: [JobProgress] = []
        _ = try make { seen.append($0) }
        #expect(seen.first?.done == 0 && seen.first?.total == nil)
        for progress in seen {
            #expect(progress.phase.description == "digesting film" && progress.unit == .rows)
        }
        #expect(seen.last?.done == 300 && seen.filter(\.hasEnded).count == 1)
        seen = []
        #expect(try check { seen.append($0) }.isClean)
        #expect(seen.first?.done == 0 && seen.first?.total == 300)
        #expect(seen.last?.hasEnded == true && seen.last?.done == 300)
    }

    @Test("A release that is stopped at its first or last report leaves the database unchanged") func stopped() throws {
        for atEnd in [false, true] {
            #expect(throws: Stop.self) {
                _ = try make { if $0.hasEnded == atEnd { throw Stop() } }
            }
            #expect(try Manifest.stored(in: bench.open()).isEmpty)
        }
        let first = try make { _ in }
        #expect(throws: Stop.self) { _ = try make { _ in throw Stop() } }
        #expect(try Manifest.stored(in: bench.open()) == [first])
        #expect(throws: Stop.self) { _ = try check { _ in throw Stop() } }
        #expect(try check { _ in }.isClean)
    }

    @Test("Cancelling the task stops both")
    func cancelled() async throws {
        let task = Task {
            let bench = try ReleaseWorkbench()
            try bench.release()
            withUnsafeCurrentTask { unsafe $0?.cancel() }
            #expect(throws: CancellationError.self) { try bench.release() }
            #expect(throws: CancellationError.self) { _ = try bench.findings() }
            #expect(try Manifest.stored(in: bench.open()).map(\.number) == [1])
        }
        try await task.value
    }
}
