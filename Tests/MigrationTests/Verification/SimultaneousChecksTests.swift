import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Simultaneous checks")
struct SimultaneousChecksTests {
    @Test(
        "Outcomes come in the order of the checks, whichever finished first, and each is reported"
    )
    func order() throws {
        let database = try VerifiedDatabase(rows: 2000)
        var begun: Set<VerificationReport.Check> = []
        var ended: Set<VerificationReport.Check> = []
        var pages: [Int] = []
        let report = try database.verification().run(key: database.scratch.key()) { progress in
            let check = try #require(VerificationReport.Check(named: progress.phase.name))
            begun.insert(check)
            if progress.hasEnded { ended.insert(check) }
            if check == .pages, let total = progress.total {
                pages.append(progress.done)
                #expect(progress.done <= total)
            }
        }
        let order = VerificationReport.Check.allCases
        #expect(report.outcomes.map(\.check) == order.filter { report.outcomes.map(\.check).contains($0) })
        let total = try database.scratch.bytes.count / 4096
        #expect(pages == pages.sorted() && pages.last == total)
        #expect(begun.isSuperset(of: ended) && begun.contains(.pages))
        #expect(report.time.duration > .zero && report.outcomes.allSatisfy { $0.duration >= .zero })
    }

    @Test("An error from the progress handler ends the run, at any point", arguments: 1...12)
    func givenUp(stop: Int) throws {
        let database = try VerifiedDatabase(rows: 2000)
        var reported = 0
        do {
            _ = try database.verification().run(key: database.scratch.key()) { _ in
                reported += 1
                if reported == stop { throw Stop() }
            }
            #expect(reported < stop)
        } catch is Stop {
            #expect(reported == stop)
        }
        #expect(try database.scratch.names == ["data.db"])
    }

    @Test("Our own error from the progress handler is not a finding")
    func interrupted() throws {
        let database = try VerifiedDatabase()
        Refusal.expect(.interrupted) {
            _ = try database.verification().run(key: database.scratch.key()) { _ in
                throw LockstepError(.interrupted, "stop")
            }
        }
    }

    @Test("A check that ends in an error of another kind ends the run: it is no check that passed")
    func failed() throws {
        let database = try VerifiedDatabase()
        let job = CheckJob(verification: database.verification())
        let checks = SimultaneousChecks(job, [(.pages, .meanwhile { _, _ in throw Stop() })])
        #expect(throws: Stop.self) {
            _ = try checks.run(database.scratch.key(), JobReporter { _ in })
        }
    }

    @Test("Awaited, it has the same result, and cancelling its task ends it")
    func awaited() async throws {
        let database = try VerifiedDatabase()
        let report = try await JobThread.run {
            try database.verification().run(key: database.scratch.key())
        }
        #expect(report.isClean)
        let task = Task {
            withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await JobThread.run {
                try database.verification().run(key: database.scratch.key())
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try database.scratch.names == ["data.db"])
    }

    @Test("Beside a writer everything still passes")
    func besideWriter() async throws {
        let database = try VerifiedDatabase(rows: 200)
        let store = try Store.open(database.scratch.path, rawKey: database.scratch.key())
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                for number in 0..<150 {
                    try await store.write { db in
                        try db.execute("INSERT INTO parent (name) VALUES (?)", "n\(number)")
                    }
                }
            }
            group.addTask {
                for _ in 0..<5 {
                    let report = try database.report()
                    #expect(report.isClean, "\(report.messages)")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test(
        "No plaintext reaches a file, not even that of the copy",
        .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "there is no /proc"))
    func plaintext() throws {
        let marker = "marker-\(UUID().uuidString)"
        let database = try VerifiedDatabase(rows: 3000, name: marker)
        let watch = PlaintextWatch(database.scratch.folder.path, marker)
        var verification = database.verification(deep: true)
        // Far too little, so that everything that can spill does.
        verification.cacheBytes = 0
        var runs = 0
        while watch.searches < 5 || runs < 2 {
            #expect(try verification.run(key: database.scratch.key()).isClean)
            runs += 1
        }
        #expect(watch.stop() == [])
    }
}
