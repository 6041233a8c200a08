import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Another program's commits at each point between reading the rows of a batch and writing their cells.
@Suite(
    "Writes between the reading and the writing of a batch",
    .enabled(if: Processors.count > 1, "there is one processor, and nothing is made ahead"))
struct SealingScheduleTests {
    /// Updates of a finished row, of three rows of the batch that is being made, and of the last row.
    @Sendable
    private static func updates(_ count: Int) -> [SealingSchedule.Step] {
        [count, count * 7 + 1, count * 7 + 4, count * 7 + 7, 40].map {
            .update($0, "commit \(count) of row \($0)")
        }
    }

    @Test(
        "no update is lost, and each row is counted once",
        arguments: SealingSchedule.Goal.allCases, Intruder.Point.allCases)
    func updates(goal: SealingSchedule.Goal, point: Intruder.Point) throws {
        for mode in point == .read ? [SealedColumn.Mode.random, .deterministic] : [.random] {
            let schedule = try SealingSchedule(goal, mode: mode)
            let intruder = Intruder(at: point, in: schedule, Self.updates)
            let report = try intruder.beside {
                try schedule.run(on: schedule.open(schedule.keys))
            }
            #expect(intruder.visits == 5)
            #expect(intruder.jobs == 0)
            #expect(report.rows == 40)
            try schedule.expectDone("\(goal), \(point), \(mode)")
        }
    }

    @Test(
        "rows that are inserted, deleted, moved to another key or set to NULL stay what they are",
        arguments: SealingSchedule.Goal.allCases, Intruder.Point.allCases)
    func everything(goal: SealingSchedule.Goal, point: Intruder.Point) throws {
        for key in SealingSchedule.Key.allCases {
            let schedule = try SealingSchedule(goal, key)
            let intruder = Intruder(at: point, in: schedule) { count in
                let first = count * 7 + 1
                return [
                    .remove(first), .insert(first, "new \(count)"), .update(first + 1, nil),
                    .move(first + 2, to: 200 + count), .move(first + 3, to: -count),
                    .insert(first + 3, "in its place"), .insert(100 + count, "added"),
                ]
            }
            try intruder.beside { _ = try schedule.run(on: schedule.open(schedule.keys)) }
            #expect(intruder.visits >= (key == .withoutRowID ? 0 : 5))
            try schedule.expectDone("\(goal), \(point), \(key)")
        }
    }

    @Test(
        "values of a program that still seals under the older key are resealed, too",
        arguments: Intruder.Point.allCases)
    func olderKey(point: Intruder.Point) throws {
        let schedule = try SealingSchedule(.reseal)
        let intruder = Intruder(at: point, in: schedule, keys: schedule.olderKeys, Self.updates)
        let report = try intruder.beside { try schedule.run(on: schedule.open(schedule.keys)) }
        #expect(report.rows == 40)
        try schedule.expectDone("\(point)")
    }

    @Test("a program that adds rows faster than they are resealed does not prolong it") func appended() throws {
        let schedule = try SealingSchedule(.reseal, rows: 20)
        let connection = try schedule.open(schedule.keys)
        let other = try schedule.open(schedule.olderKeys)
        var added = 20
        let report = try schedule.run(on: connection, batch: 2) { _ in
            try schedule.write((1...3).map { .insert(added + $0, "added") }, on: other)
            added += 3
            // Without an end of each pass, and of their number, this would go on.
            guard added < 1000 else { throw Stop() }
        }
        #expect(report.rows <= added)
        try schedule.expectDone("appended")
    }

    @Test(
        "Negative control: without the comparison, updates are lost",
        arguments: SealingSchedule.Goal.allCases, [Intruder.Point.read, .made])
    func control(goal: SealingSchedule.Goal, point: Intruder.Point) throws {
        let schedule = try SealingSchedule(goal)
        let intruder = Intruder(at: point, in: schedule, Self.updates)
        try intruder.beside(comparing: false) {
            _ = try schedule.run(on: schedule.open(schedule.keys))
        }
        #expect(try schedule.lost() > 8)
    }

    @Test("cells that were made for a column that was unsealed and sealed again are not written")
    func sealedAgain() throws {
        let schedule = try SealingSchedule(.protect)
        let intruder = Intruder(at: .made) { count in
            guard count == 1 else { return }
            let other = try schedule.open(schedule.keys)
            try other.unprotect("a", of: "item", keys: schedule.keys)
            do {
                try other.protect(
                    "a", of: "item", keys: schedule.keys, indexes: [.init(.exact)], batch: 7
                ) { _ in throw Stop() }
            } catch is Stop {}
        }
        try intruder.beside { _ = try schedule.run(on: schedule.open(schedule.keys)) }
        #expect(intruder.visits > 1)
        try schedule.expectDone("sealed again")
    }

    @Test("a migration's change loses nothing either", arguments: Intruder.Point.allCases)
    func migration(point: Intruder.Point) throws {
        let schedule = try SealingSchedule(.reseal)
        let intruder = Intruder(at: point, in: schedule, Self.updates)
        let set = try Scratch.set(Scratch.up("-- lockstep: rotate item.a dataset=test batch=7"))
        var rows = 0
        try intruder.beside {
            _ = try Migrator(set) { event in
                if case .backfilled(_, let done, _) = event { rows = done }
            }.run(on: schedule.open(schedule.keys))
        }
        #expect(intruder.visits == 5)
        #expect(intruder.jobs == 0)
        #expect(rows == 40)
        try schedule.expectDone("\(point)")
    }
}
