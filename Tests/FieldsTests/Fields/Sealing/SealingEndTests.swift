import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// How a change of a column's cells ends before its time: nothing of its second thread is left.
@Suite(
    "A sealing change that ends early",
    .enabled(if: Processors.count > 1, "there is one processor, and nothing is made ahead"),
    .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fd"), "there is no /proc"))
struct SealingEndTests {
    /// The number of connections of this process that have the database's log open.
    private static func connections(to schedule: SealingSchedule) throws -> Int {
        let folder = schedule.folder.path.string
        let all = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return all.count {
            let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
            return path?.hasPrefix(folder) == true && path?.hasSuffix("-wal") == true
        }
    }

    @Test("The count of connections notices a second one")
    func control() throws {
        let schedule = try SealingSchedule(.reseal)
        let one = try schedule.open(schedule.keys)
        #expect(try Self.connections(to: schedule) == 1)
        let other = try schedule.open(schedule.keys)
        #expect(try Self.connections(to: schedule) == 2)
        // Both stay open until here.
        #expect(try one.value("SELECT 1", as: Int.self) == 1)
        #expect(try other.value("SELECT 1", as: Int.self) == 1)
    }

    @Test(
        "by an error of progress at each batch: no job runs, no file is open, and the next run completes",
        arguments: SealingSchedule.Goal.allCases)
    func stopped(goal: SealingSchedule.Goal) throws {
        for batches in [1, 2, 4, 6] {
            let schedule = try SealingSchedule(goal)
            let connection = try schedule.open(schedule.keys)
            let intruder = Intruder(at: .read, in: schedule) { [.update($0, "commit \($0)")] }
            var reports = 0
            #expect(throws: Stop.self) {
                try intruder.beside {
                    _ = try schedule.run(on: connection) { _ in
                        reports += 1
                        if reports == batches { throw Stop() }
                    }
                }
            }
            #expect(intruder.jobs == 0)
            #expect(try Self.connections(to: schedule) == 1)
            let report = try schedule.run(on: connection)
            #expect(report.rows == 40 - min(batches * 7, 40))
            try schedule.expectDone("\(goal), \(batches)")
        }
    }

    @Test("by a cell that does not open", arguments: [SealingSchedule.Goal.unprotect, .reseal])
    func forged(goal: SealingSchedule.Goal) throws {
        for row in [1, 8, 30, 40] {
            let schedule = try SealingSchedule(goal)
            let connection = try schedule.open(schedule.keys)
            try connection.with(rights: .engine) {
                try connection.execute(
                    """
                    UPDATE item SET a = CAST(substr(a, 1, length(a) - 1) || x'00' || x'00' AS BLOB)
                    WHERE id = ? AND a IS NOT NULL
                    """, row)
            }
            let intruder = Intruder(at: .made, in: schedule) { [.update($0, "commit \($0)")] }
            Refusal.expect(.cellForged) {
                try intruder.beside { _ = try schedule.run(on: connection) }
            }
            #expect(intruder.jobs == 0)
            #expect(try Self.connections(to: schedule) == 1)
        }
    }
}
