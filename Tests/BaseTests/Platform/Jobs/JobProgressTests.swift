import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Progress of jobs")
struct JobProgressTests {
    @Test("A phase ends when everything is done, unless the job says otherwise")
    func ending() {
        let phase = JobProgress.Phase("copying")
        #expect(!JobProgress(phase, 1, of: 2, .pages).hasEnded)
        #expect(JobProgress(phase, 2, of: 2, .pages).hasEnded)
        #expect(!JobProgress(phase, 2, of: 2, .pages, hasEnded: false).hasEnded)
        #expect(!JobProgress(phase, 2, .rows).hasEnded && !JobProgress(phase).hasEnded)
    }

    @Test("A phase is named by its name and its subject")
    func names() {
        let phase = JobProgress.Phase("copying")
        #expect("\(phase)" == "copying" && "\(phase.of("film"))" == "copying film")
        #expect(phase.of("film").name == phase.name && phase.of("film") != phase)
    }

    @Test("A cancelled task stops the job before the program is called")
    func cancelling() async throws {
        let task = Task {
            withUnsafeCurrentTask { unsafe $0?.cancel() }
            try JobProgress(JobProgress.Phase("copying")).report { _ in throw Stop() }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A job's time begins with it, and ends when it is asked to")
    func time() {
        let time = JobTime()
        #expect(time.duration == .zero)
        let ended = time.ended()
        #expect(ended.startedAt == time.startedAt && ended.duration >= .zero)
    }
}
