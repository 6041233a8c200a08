import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Down and up again")
struct RoundTripTests {
    private func expect(
        _ sets: [MigrationSet]? = nil, _ change: (VerifiedDatabase) throws -> Void = { _ in },
        _ body: (VerificationReport.Outcome) throws -> Void
    ) throws {
        let database = try VerifiedDatabase(sets)
        try change(database)
        let before = try database.scratch.bytes
        let outcome = try #require(try database.outcome(.roundTrip, deep: true))
        try body(outcome)
        // The original is only read, and nothing stays beside it.
        #expect(try database.scratch.bytes == before)
        #expect(try database.scratch.names == ["data.db"])
    }

    private func set(_ name: String = "test", _ files: (String, String)...) throws -> MigrationSet {
        try MigrationSet(name: name, files: files.map { (name: $0.0, content: $0.1) })
    }

    @Test("It only runs on request")
    func optional() throws {
        #expect(try VerifiedDatabase().outcome(.roundTrip) == nil)
    }

    @Test("Each version is reported when it begins, on the way down and on the way up")
    func steps() throws {
        let database = try VerifiedDatabase()
        let connection = try Connection.open(
            database.scratch.path, key: database.scratch.key())
        connection.authorizer.isReplay = true
        let ledger = try Ledger.entries(connection)
        var steps: [String] = []
        var trip = RoundTrip(sets: database.sets) { set, version, isUp in
            steps.append("\(isUp ? "up" : "down") \(set) \(version)")
        }
        try trip.goDown(ledger, connection)
        try trip.goUp(ledger, from: Ledger.entries(connection), connection)
        #expect(steps == ["down test 2", "down test 1", "up test 1", "up test 2"])
    }

    @Test("A verification reports the newest of these steps, in their order")
    func reported() throws {
        let database = try VerifiedDatabase()
        let phase = VerificationReport.Check.roundTrip.phase
        var steps: [String] = []
        _ = try database.verification(deep: true).run(key: database.scratch.key()) { progress in
            guard progress.phase == phase else { return }
            if let step = progress.step, steps.last != step { steps.append(step) }
        }
        // A step that ends before the next look is left out.
        var rest = ["copying", "down test 2", "down test 1", "up test 1", "up test 2"][...]
        for step in steps {
            let place = try #require(rest.firstIndex(of: step), "\(steps)")
            rest = rest[(place + 1)...]
        }
    }

    @Test("Ways down that lead back pass; rows that they drop are worth a notice")
    func fine() throws {
        try expect { outcome in
            #expect(!outcome.hasFailed, "\(outcome)")
            #expect(outcome.summary == "2 versions of 2 down and up again, on a copy")
            #expect(
                outcome.findings.map(\.message) == [
                    "child has 0 rows after migrating down and up again, but had 50 before",
                    "parent has 0 rows after migrating down and up again, but had 50 before",
                ])
        }
    }

    @Test("Where nothing was applied there is nothing to undo")
    func nothing() throws {
        try expect([]) { outcome in
            #expect(!outcome.hasFailed && outcome.findings.isEmpty)
            #expect(outcome.summary == "0 versions of 0 down and up again, on a copy")
        }
    }

    @Test("A way down that does not undo everything is found, with the remaining objects") func forgetful() throws {
        let set = try set(
            "test",
            ("1_a.sql", "-- lockstep: up\nCREATE TABLE IF NOT EXISTS t (a);\n-- lockstep: down\nDROP TABLE t;\n"),
            (
                "2_b.sql",
                "-- lockstep: up\nALTER TABLE t ADD COLUMN b TEXT;\n-- lockstep: down\nALTER TABLE t DROP COLUMN b;\n"
            ),
            (
                "3_c.sql",
                "-- lockstep: up\nCREATE TABLE u (a);\nCREATE INDEX IF NOT EXISTS i ON t (b);\n"
                    + "-- lockstep: down\nDROP TABLE u;\nDROP INDEX i;\nDROP TABLE t;\nCREATE TABLE t (a, b INT);\n"
            ))
        try expect([set]) { outcome in
            #expect(!outcome.hasFailed, "\(outcome.findings)")
        }
        let leaving = try self.set(
            "test",
            (
                "1_a.sql",
                "-- lockstep: up\nCREATE TABLE IF NOT EXISTS t (a);\n-- lockstep: down\nALTER TABLE t ADD COLUMN left;\n"
            ))
        try expect([leaving]) { outcome in
            #expect(outcome.hasFailed)
            let finding = try #require(outcome.findings.first)
            #expect(finding.message == "after migrating down and up again, the table t is different")
            #expect(finding.difference?.details == ["column left: nothing, expected absent"])
        }
    }

    @Test("A way down that fails is a failure, and so is one that cannot be reversed") func failing() throws {
        let down = try set(
            "test", ("1_a.sql", "-- lockstep: up\nCREATE TABLE t (a);\n-- lockstep: down\nDROP TABLE nowhere;\n"))
        try expect([down]) { outcome in
            #expect(outcome.hasFailed)
            #expect(outcome.findings.map(\.message).allSatisfy { $0.contains("the way down fails") })
            #expect(outcome.summary.hasPrefix("0 versions of 1"))
        }
        let up = try set(
            "test",
            (
                "1_a.sql",
                "-- lockstep: up\nCREATE TABLE t (a);\n-- lockstep: down\nDROP TABLE t;\nCREATE VIEW t AS SELECT 1;\n"
            ))
        try expect([up]) { outcome in
            #expect(outcome.hasFailed)
            #expect(outcome.findings.contains { $0.message.contains("the way up again fails") })
        }
    }

    @Test("Without a way down it ends, reports that, and continues with other sets") func irreversible() throws {
        let one = try set(
            "one", ("1_a.sql", "-- lockstep: up\nCREATE TABLE t (a);\n-- lockstep: down\nDROP TABLE t;\n"),
            ("2_b.sql", "-- lockstep: up\nCREATE TABLE t2 (a);\n"),
            ("3_c.sql", "-- lockstep: up\nCREATE TABLE t3 (a);\n-- lockstep: down\nDROP TABLE t3;\n"))
        let two = try set(
            "two", ("1_a.sql", "-- lockstep: up\nCREATE TABLE u (a);\n-- lockstep: down\nDROP TABLE u;\n"))
        try expect([two, one]) { outcome in
            #expect(!outcome.hasFailed, "\(outcome)")
            #expect(outcome.summary.hasPrefix("2 versions of 4"))
            #expect(outcome.findings.map(\.message) == ["one 2 (b) has no way down, so no version before it was tried"])
        }
    }

    @Test("A set that ended is left alone when the ledger comes to its earlier versions") func endedSet() throws {
        let first = ("1_a.sql", "-- lockstep: up\nCREATE TABLE t (a);\n-- lockstep: down\nDROP TABLE t;\n")
        let one = try set("one", first, ("2_b.sql", "-- lockstep: up\nCREATE TABLE t2 (a);\n"))
        let two = try set(
            "two", ("1_a.sql", "-- lockstep: up\nCREATE TABLE u (a);\n-- lockstep: down\nDROP TABLE u;\n"))
        let database = try VerifiedDatabase([set("one", first), two])
        do { _ = try Migrator(one).run(on: database.scratch.open()) }
        var verification = Verification(database.scratch.path, sets: [one, two])
        verification.isDeep = true
        let report = try verification.run(key: database.scratch.key())
        let outcome = try #require(report.outcomes.first { $0.check == .roundTrip })
        #expect(!outcome.hasFailed, "\(outcome)")
        #expect(outcome.findings.map(\.message) == ["one 2 (b) has no way down, so no version before it was tried"])
    }

    @Test("If rows would be lost undeclared, the guard ends it, and that is no failure") func guarded() throws {
        let set = try set(
            "test",
            (
                "1_a.sql",
                "-- lockstep: up\nCREATE TABLE t (a);\nINSERT INTO t VALUES (1);\n-- lockstep: down\nDROP TABLE t;\n"
            ))
        try expect([set]) { outcome in
            #expect(!outcome.hasFailed, "\(outcome)")
            #expect(outcome.findings.map(\.message).allSatisfy { $0.contains("rows would be lost") })
            #expect(outcome.findings.count == 1)
        }
    }

    @Test("Sets whose versions are interleaved go down and up in the order of the ledger") func interleaved() throws {
        let steps = (1...6).map { number in
            (
                "\(number)_s.sql",
                "-- lockstep: up\nCREATE TABLE t\(number) (a);\n-- lockstep: down\nDROP TABLE t\(number);\n"
            )
        }
        func set(_ name: String, _ count: Int, _ prefix: String) throws -> MigrationSet {
            try MigrationSet(
                name: name,
                files: steps.prefix(count).map {
                    (name: $0.0, content: $0.1.replacing("TABLE t", with: "TABLE \(prefix)"))
                })
        }
        let database = try VerifiedDatabase([])
        let connection = try database.scratch.open()
        for count in 1...6 {
            _ = try Migrator(set("one", count, "x")).run(on: connection)
            _ = try Migrator(set("two", count, "y")).run(on: connection)
        }
        var verification = Verification(database.scratch.path, sets: [try set("two", 6, "y"), try set("one", 6, "x")])
        verification.isDeep = true
        let report = try verification.run(key: database.scratch.key())
        #expect(report.isClean, "\(report.messages)")
        #expect(report.outcomes.last?.summary.hasPrefix("12 versions of 12") == true)
    }

    @Test("A damaged file is not copied, and a set without files cannot go up again") func hindered() throws {
        let damaged = try VerifiedDatabase(rows: 500)
        try damaged.scratch.damage { $0[5 * 4096 + 100] ^= 1 }
        let outcome = try #require(try damaged.outcome(.roundTrip, deep: true))
        #expect(outcome.hasFailed && outcome.obstacle?.code == .damaged)
        let database = try VerifiedDatabase()
        var verification = Verification(database.scratch.path, sets: [])
        verification.isDeep = true
        let report = try verification.run(key: database.scratch.key())
        #expect(report.failed == [.ledger, .drift, .roundTrip])
        #expect(try database.scratch.names == ["data.db"])
    }

    @Test("Stopped at any point, nothing stays, and the original is unchanged")
    func givenUp() throws {
        let database = try VerifiedDatabase(rows: 300)
        let before = try database.scratch.bytes
        var seen: Set<String> = []
        for stop in 1...40 {
            var reported = 0
            do {
                _ = try database.verification(deep: true).run(key: database.scratch.key()) {
                    progress in
                    guard progress.phase == VerificationReport.Check.roundTrip.phase else { return }
                    reported += 1
                    seen.insert(progress.step ?? "")
                    if reported == stop { throw Stop() }
                }
            } catch is Stop {
                #expect(reported == stop)
            }
            #expect(try database.scratch.names == ["data.db"])
            #expect(try database.scratch.bytes == before)
            if reported < stop { break }
        }
        #expect(!seen.isEmpty)
    }

    @Test(
        "Without the space for a copy it reports how much it needs",
        .enabled(if: SmallDisk.isPossible, SmallDisk.missing))
    func full() throws {
        let disk = try SmallDisk(megabytes: 1)
        defer { disk.unmount() }
        let database = try VerifiedDatabase(rows: 3000)
        let path = disk.path.appending("data.db")
        try Bytes.write(database.scratch.bytes, to: path)
        var verification = Verification(path, sets: database.sets)
        verification.isDeep = true
        let report = try verification.run(key: database.scratch.key())
        #expect(report.failed == [.roundTrip])
        #expect(report.outcomes.last?.obstacle?.code == .full)
    }
}
