import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Plans")
struct PlanTests {
    private let up = "-- lockstep: up\nSELECT 1;\n-- lockstep: down\nSELECT 2;\n"

    private func set(_ versions: [String], content: String? = nil) throws -> MigrationSet {
        try MigrationSet(name: "test", files: versions.map { (name: "\($0)_x.sql", content: content ?? up) })
    }

    private func ledger(_ set: MigrationSet, _ count: Int) -> [LedgerEntry] {
        set.files.prefix(count).enumerated().map { index, file in
            LedgerEntry(
                set: set.name, version: file.version, name: file.name, checksums: file.checksums,
                down: Migration.file(file).recordedDown, appliedAt: 0, duration: 0,
                toolVersion: "0",
                position: Int64(index + 1))
        }
    }

    private func versions(_ plan: Plan) -> [String] {
        plan.steps.map { step in
            switch step {
            case .up(let file): "up \(file.version)"
            case .down(let entry, _): "down \(entry.version)"
            case .abandon(let unfinished, _): "abandon \(unfinished.version)"
            }
        }
    }

    @Test("An empty ledger runs everything, in natural order")
    func everything() throws {
        let plan = Plan(try set(["10", "9", "8"]), ledger: [], target: .latest)
        #expect(versions(plan) == ["up 8", "up 9", "up 10"])
        #expect(plan.findings.isEmpty)
    }

    @Test("A complete ledger runs nothing; an empty set runs nothing")
    func nothing() throws {
        let set = try set(["1", "2"])
        #expect(Plan(set, ledger: ledger(set, 2), target: .latest).steps.isEmpty)
        #expect(Plan(try self.set([]), ledger: [], target: .latest).steps.isEmpty)
        #expect(Plan(set, ledger: ledger(set, 2), target: .version(MigrationVersion(2))).steps.isEmpty)
        #expect(Plan(set, ledger: ledger(set, 2), target: .back(0)).steps.isEmpty)
    }

    @Test("A version is reachable upwards and downwards")
    func target() throws {
        let set = try set(["1", "2", "3"])
        func plan(_ applied: Int, _ version: UInt64) -> [String] {
            versions(
                Plan(
                    set, ledger: ledger(set, applied), target: .version(MigrationVersion(version))))
        }
        #expect(plan(0, 2) == ["up 1", "up 2"])
        #expect(plan(1, 3) == ["up 2", "up 3"])
        #expect(plan(3, 1) == ["down 3", "down 2"])
        #expect(plan(3, 0) == ["down 3", "down 2", "down 1"])
    }

    @Test("Going back undoes the newest application first, and no more than exist")
    func back() throws {
        let set = try set(["1", "2", "3"])
        #expect(versions(Plan(set, ledger: ledger(set, 3), target: .back(2))) == ["down 3", "down 2"])
        #expect(versions(Plan(set, ledger: ledger(set, 2), target: .back(9))) == ["down 2", "down 1"])
        #expect(Plan(set, ledger: [], target: .back(1)).steps.isEmpty)
    }

    @Test(
        "Other sets' entries do not count, unless they are of the same files that make a table: the set has another name"
    )
    func otherSets() throws {
        func plan(_ content: String, _ others: MigrationSet) throws -> Plan {
            let other = ledger(others, 1).map { $0.with(set: "other", $0.version) }
            return Plan(try set(["1", "2"], content: "-- lockstep: up\n\(content)\n"), ledger: other, target: .latest)
        }
        func others(_ version: String, _ content: String) throws -> MigrationSet {
            try set([version], content: "-- lockstep: up\n\(content)\n")
        }
        let (make, find) = ("CREATE TABLE a (x);", "CREATE TABLE IF NOT EXISTS a (x);")
        #expect(try fatal(plan(make, others("1", make))) == [.migrationMissing])
        for (mine, other) in try [
            (make, others("1", find)), (make, others("3", make)), (find, others("1", find)),
            ("SELECT 1;", others("1", "SELECT 1;")),
        ] {
            #expect(try versions(plan(mine, other)) == ["up 1", "up 2"])
        }
    }

    private func fatal(_ plan: Plan) -> [LockstepError.Code] {
        if !plan.findings.isEmpty { #expect(plan.steps.isEmpty) }
        return plan.findings.filter(\.isFatal).map(\.error.code)
    }

    @Test(
        "Defects stop the run: duplicate, gap, changed, missing, out of order, no such version"
    )
    func findings() throws {
        let good = try set(["1", "2", "3"])
        let duplicate = try set(["1", "2", "0002"])
        #expect(fatal(Plan(duplicate, ledger: [], target: .latest)) == [.versionDuplicate])
        let gap = try set(["1", "2", "4"])
        #expect(fatal(Plan(gap, ledger: [], target: .latest)) == [.versionGap])
        let changed = try set(["1", "2", "3"], content: "-- lockstep: up\nSELECT 3;\n")
        #expect(fatal(Plan(changed, ledger: ledger(good, 1), target: .latest)) == [.migrationChanged])
        #expect(
            fatal(Plan(try set(["1"]), ledger: ledger(good, 2), target: .latest))
                == [.migrationMissing])
        var late = ledger(good, 3)
        late.remove(at: 1)
        #expect(fatal(Plan(good, ledger: late, target: .latest)) == [.outOfOrder])
        let nowhere = Plan(good, ledger: [], target: .version(MigrationVersion(7)))
        #expect(fatal(nowhere) == [.migrationMissing])
        for finding in nowhere.findings { #expect(finding.error.hint != nil) }
        Refusal.expect(.migrationMissing) { try nowhere.requireSound() }
    }

    @Test("Timestamps can have gaps")
    func timestamps() throws {
        let set = try set(["20240101000000", "20240301000000"])
        #expect(Plan(set, ledger: [], target: .latest).findings.isEmpty)
    }

    @Test(
        "A program with older files uses recorded ways down only on demand, and never goes forward"
    )
    func olderProgram() throws {
        let ledger = ledger(try set(["1", "2", "3"]), 3)
        let older = try set(["1"])
        let target = Plan.Target.version(MigrationVersion(1))
        #expect(fatal(Plan(older, ledger: ledger, target: target)) == [.migrationMissing, .migrationMissing])
        let back = Plan(older, ledger: ledger, target: target, recordedDown: .allowed)
        #expect(versions(back) == ["down 3", "down 2"])
        #expect(back.findings.map(\.isFatal) == [false, false])
        #expect(fatal(Plan(older, ledger: ledger, target: .back(1))) == [.migrationMissing])
        #expect(versions(Plan(older, ledger: ledger, target: .back(1), recordedDown: .allowed)) == ["down 3"])
        #expect(fatal(Plan(older, ledger: ledger, target: .latest)).count == 2)
    }

    @Test("An unknown version is not a target for going back")
    func unknownTarget() throws {
        let set = try set(["20240101", "20240301"])
        let plan = Plan(
            set, ledger: ledger(set, 2), target: .version(MigrationVersion(20_240_201)))
        #expect(fatal(plan) == [.migrationMissing])
    }

    @Test("Going down to a version never goes up")
    func downTo() throws {
        let set = try set(["1", "2", "3"])
        let target = Plan.Target.downTo(MigrationVersion(2))
        #expect(versions(Plan(set, ledger: ledger(set, 3), target: target)) == ["down 3"])
        #expect(Plan(set, ledger: ledger(set, 1), target: target).steps.isEmpty)
        let whole = Plan(set, ledger: ledger(set, 3), target: .downTo(.unversioned))
        #expect(versions(whole) == ["down 3", "down 2", "down 1"])
    }

    @Test("A version 0 is undone with all, and not above 0")
    func downBelowZero() throws {
        let files = ["0-a.do.sql", "0-a.undo.sql", "1-b.do.sql", "1-b.undo.sql"]
        let set = try MigrationSet(name: "test", layout: .numbered, files: files.map { ($0, "SELECT 1;") })
        let all = Plan(set, ledger: ledger(set, 2), target: .downTo(.unversioned))
        #expect(versions(all) == ["down 1", "down 0"])
        let above = Plan(set, ledger: ledger(set, 2), target: .downTo(MigrationVersion(0)))
        #expect(versions(above) == ["down 1"])
    }

    @Test("The greatest possible version number leaves a gap and no trap")
    func maximumVersion() throws {
        let set = try set(["1", "18446744073709551615"])
        #expect(fatal(Plan(set, ledger: [], target: .latest)) == [.versionGap])
    }

    @Test("A version without a way down cannot be undone")
    func irreversible() throws {
        let set = try set(["1", "2"], content: "-- lockstep: up\nSELECT 1;\n")
        let plan = Plan(set, ledger: ledger(set, 2), target: .back(1))
        #expect(fatal(plan) == [.irreversible])
    }

    @Test("A file that changed only in comments or line endings is a notice")
    func notices() throws {
        let set = try set(["1"])
        let commented = try self.set(["1"], content: up + "-- a thought\n")
        let plan = Plan(commented, ledger: ledger(set, 1), target: .latest)
        #expect(plan.findings.map(\.isFatal) == [false])
        try plan.requireSound()
        let crlf = up.split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\r\n")
        let ended = Plan(try self.set(["1"], content: crlf), ledger: ledger(set, 1), target: .latest)
        #expect(ended.findings.map(\.isFatal) == [false])
        #expect(ended.findings.first?.error.message.contains("line endings") == true)
    }
}
