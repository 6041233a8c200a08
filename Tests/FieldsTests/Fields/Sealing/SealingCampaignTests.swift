import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Changes of a column's cells in small batches, alone and beside a program that writes all the time.
@Suite("Sealing beside writers")
struct SealingCampaignTests {
    private static let campaign = Campaign("SealingCampaignTests", parts: 3 * SealingSchedule.Goal.allCases.count)

    @Test(
        "Beside a program that writes at the same time, nothing that it was promised is lost",
        arguments: SealingSchedule.Goal.allCases)
    func beside(goal: SealingSchedule.Goal) throws {
        guard let part = Self.campaign.begin("beside, \(goal)") else { return }
        defer { part.end() }
        var source = SplitMix64(state: Torture.campaignSeed &+ UInt64(goal.rawValue.count))
        var rounds = 0
        while part.goesOn(after: rounds, of: 5) {
            rounds += 1
            let key = SealingSchedule.Key.allCases.randomElement(using: &source) ?? .row
            let mode: SealedColumn.Mode = source.next().isMultiple(of: 2) ? .random : .deterministic
            let schedule = try SealingSchedule(goal, key, mode: mode)
            let writer = SealingWriter(schedule, seed: source.next())
            let connection = try schedule.open(schedule.keys)
            try schedule.run(on: connection, batch: Int.random(in: 3...20, using: &source)) { _ in
                writer.goOn()
            }
            part.count("commits", try writer.end())
            try schedule.expectDone("\(goal), \(key), \(mode), round \(rounds)")
        }
    }

    @Test(
        "Many small batches, with a progress closure that writes: each row is counted once",
        arguments: SealingSchedule.Goal.allCases)
    func small(goal: SealingSchedule.Goal) throws {
        guard let part = Self.campaign.begin("small, \(goal)") else { return }
        defer { part.end() }
        var source = SplitMix64(state: Torture.campaignSeed)
        var rounds = 0
        while part.goesOn(after: rounds, of: 12) {
            rounds += 1
            let schedule = try SealingSchedule(goal)
            let connection = try schedule.open(schedule.keys)
            try connection.execute("CREATE TABLE note (number INTEGER)")
            let batch = Int.random(in: 1...9, using: &source)
            var done = 0
            let report = try schedule.run(on: connection, batch: batch) { progress in
                // Like a command, which notes the database in its keyring.
                try connection.execute("INSERT INTO note VALUES (?)", progress.done)
                #expect(progress.done >= done && progress.done <= done + batch)
                done = progress.done
            }
            #expect(report.rows == 40)
            try schedule.expectDone("\(goal), batches of \(batch)")
        }
    }

    @Test(
        "Negative control: without the comparison, commits at random points are lost",
        .enabled(if: Processors.count > 1, "there is one processor, and nothing is made ahead"),
        arguments: SealingSchedule.Goal.allCases)
    func control(goal: SealingSchedule.Goal) throws {
        guard let part = Self.campaign.begin("control, \(goal)") else { return }
        defer { part.end() }
        var source = SplitMix64(state: Torture.campaignSeed)
        for compares in [true, false] {
            var lost = 0
            for _ in 0..<3 where part.goesOn() {
                let schedule = try SealingSchedule(goal)
                let seed = source.next()
                let point: Intruder.Point = source.next().isMultiple(of: 2) ? .read : .made
                let intruder = Intruder(at: point, in: schedule) { count in
                    var source = SplitMix64(state: seed &+ UInt64(count))
                    return schedule.steps(&source, "commit \(count)")
                }
                try intruder.beside(comparing: compares) {
                    _ = try schedule.run(on: schedule.open(schedule.keys))
                }
                lost += try schedule.lost()
            }
            guard part.isComplete(for: "the lost commits") else { return }
            #expect(compares ? lost == 0 : lost > 0)
        }
    }
}

/// A thread that commits to a schedule's table, a few times after each batch, whenever it comes to it.
private final class SealingWriter: Sendable {
    private let next = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)
    // Not a Mutex: the thread sanitizer does not know it for a lock.
    private let lock = NSLock()
    // Safe by this proof: touched only while the lock is held.
    nonisolated(unsafe) private var isEnding = false
    nonisolated(unsafe) private var commits = 0
    nonisolated(unsafe) private var failure: (any Error)?

    init(_ schedule: SealingSchedule, seed: UInt64) {
        Thread.detachNewThread { [self] in
            do {
                let connection = try schedule.open(schedule.keys)
                var source = SplitMix64(state: seed)
                while isNext() { try write(schedule, connection, &source) }
            } catch {
                lock.withLock { failure = error }
            }
            ended.signal()
        }
    }

    private func isNext() -> Bool {
        next.wait()
        return lock.withLock { !isEnding }
    }

    private func write(
        _ schedule: SealingSchedule, _ connection: borrowing Connection, _ source: inout SplitMix64
    ) throws {
        do {
            let number = lock.withLock { commits }
            try schedule.write(schedule.steps(&source, "commit \(number)"), on: connection)
            lock.withLock { commits += 1 }
        } catch let error as LockstepError where error.code == .busy {
            // The file is being rewritten.
        }
    }

    /// Lets it commit a few more times.
    func goOn() { for _ in 0..<3 { next.signal() } }

    /// Ends it, and returns how many commits it has made.
    func end() throws -> Int {
        lock.withLock { isEnding = true }
        next.signal()
        ended.wait()
        if let failure = lock.withLock({ failure }) { throw failure }
        return lock.withLock { commits }
    }
}
