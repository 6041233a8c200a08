import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Reporters of jobs")
struct JobReporterTests {
    private static let news = JobProgress(JobProgress.Phase("copying"), 1, of: 2, .pages)

    @Test("The last progress is repeated, and the first error is kept")
    func repeating() throws {
        var seen: [JobProgress] = []
        let reporter = JobReporter { news in
            seen.append(news)
            if seen.count == 4 { throw Stop() }
            if seen.count > 4 { throw LockstepError(.interrupted, "later") }
        }
        try reporter.repeatLast()
        #expect(seen.isEmpty)
        try reporter.report(Self.news)
        try reporter.repeatLast()
        #expect(reporter.stop == nil && reporter.shouldContinue() && seen.count == 3)
        #expect(throws: Stop.self) { try reporter.repeatLast() }
        #expect(throws: LockstepError.self) { try reporter.repeatLast() }
        #expect(reporter.stop is Stop && seen.allSatisfy { $0 == Self.news })
        let count = seen.count
        #expect(!reporter.shouldContinue() && seen.count == count)
    }

    @Test("A phase that cannot be stopped is reported, and its errors do not count") func announcing() {
        var seen = 0
        let reporter = JobReporter { _ in
            seen += 1
            throw Stop()
        }
        reporter.announce(Self.news)
        #expect(seen == 1 && reporter.stop == nil && reporter.shouldContinue())
    }

    @Test("Within a statement the program can stop the job, and its error is the reason") func statement() throws {
        var calls = 0
        let stopAtSecond: JobProgress.Handler = { _ in
            calls += 1
            if calls > 1 { throw Stop() }
        }
        #expect(throws: Stop.self) {
            try JobReporter.run(stopAtSecond) { reporter in
                let options = ConnectionOptions().asking(reporter.shouldContinue)
                let connection = try Connection.inMemory(options)
                try reporter.report(Self.news)
                let endless: SQL =
                    "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
                _ = try connection.value(endless, as: Int.self)
            }
        }
        #expect(calls == 2)
    }

    @Test("An interruption keeps the error of its statement if the program says no more than that")
    func reasons() throws {
        let place = LockstepError(.interrupted, "a.sql:3: interrupted")
        let other = LockstepError(.full, "the disk is full")
        for error in [Stop(), LockstepError(.interrupted, "stopped"), nil] as [(any Error)?] {
            let reporter = JobReporter { _ in if let error { throw error } }
            try? reporter.report(Self.news)
            #expect((reporter.reason(for: place) is Stop) == (error is Stop))
            if !(error is Stop) { #expect(reporter.reason(for: place) as? LockstepError == place) }
            #expect(reporter.reason(for: other) as? LockstepError == other)
        }
    }
}
