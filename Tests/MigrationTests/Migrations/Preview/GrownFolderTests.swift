import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Plans of folders that lose and rebuild")
struct GrownFolderTests {
    private func declaring(
        _ declarations: [MigrationPreview.Declaration], _ set: MigrationSet
    ) throws -> MigrationSet {
        try declarations.reduce(set) { set, one in
            try set.declaring(one.directive, at: one.version, down: !one.isUp)
        }
    }

    private func set(_ scripts: [String]) throws -> MigrationSet {
        try MigrationSet(
            name: "grown",
            files: scripts.enumerated().map { index, script in
                (name: "\(index + 1)_step.sql", content: Scratch.up(script))
            })
    }

    @Test(
        "More than 300 versions run on a database with rows, with the true declarations of one plan",
        arguments: [(11, 310, 20), (12, 310, 20), (13, 700, 50)])
    func grown(seed: UInt64, versions: Int, least: Int) throws {
        let folder = GrownFolder(seed: seed, versions: versions)
        let connection = try Connection.inMemory()
        let set = try set(folder.scripts)
        _ = try Migrator(set).run(
            .version(MigrationVersion(UInt64(folder.first))), on: connection)
        #expect(folder.needed.count > least)

        let plan = try Migrator(set).preview(on: connection)
        let found = plan.declarations.map(\.description)
        #expect(Set(found) == Set(folder.needed), "\(folder.story(of: Set(found).symmetricDifference(folder.needed)))")
        #expect(found.count == folder.needed.count)
        let other = try Connection.inMemory()
        try PageCopy.copyPages(connection, into: other)
        #expect(throws: LockstepError.self) { try Migrator(set).run(on: other) }

        let declared = try declaring(plan.declarations, set)
        let again = try Migrator(declared).preview(on: connection)
        #expect(!again.isBlocked && again.declarations == [], "\(again.lint.filter { $0.level == .error })")
        _ = try Migrator(declared).run(on: connection)
        #expect(try Ledger.entries(connection).count == folder.scripts.count)
        for (table, count) in folder.counts {
            #expect(try Scratch.int(connection, "SELECT count(*) FROM \(table)") == count, "\(table)")
        }
    }

    @Test(
        "What a plan finds nothing against migrates, and what migrate refuses the plan names",
        arguments: 0..<8)
    func sameVerdict(_ block: Int) throws {
        var tally: [String: Int] = [:]
        for number in 0..<25 {
            let seed = 20_261_125 + UInt64(block) << 20 + UInt64(number)
            try compare(seed, &tally)
        }
        #expect(tally["ran", default: 0] > 0 && tally["declared", default: 0] > 0, "\(tally)")
    }

    private func compare(_ seed: UInt64, _ tally: inout [String: Int]) throws {
        var script = RandomScript(seed: seed)
        let connection = try Connection.inMemory()
        try connection.run(script: RandomScript.family)
        var scripts: [String] = []
        for _ in 0..<script.count(1...3) {
            var statements: [String] = []
            for _ in 0..<script.count(1...3) {
                let statement = script.statement()
                // Most random statements fail, and show nothing then.
                guard connection.core.refusal(of: statement) == nil || script.chance(15) else {
                    continue
                }
                statements.append(statement)
            }
            scripts.append(statements.joined(separator: ";\n") + ";")
        }
        var set = try set(scripts)
        for round in 0..<2 {
            let preview = try Migrator(set).preview(on: connection)
            let story = "seed \(seed), round \(round):\n\(scripts.joined(separator: "\n--\n"))\n\(preview.lint)"
            let isUnclear = preview.lint.contains { $0.rule == "not-tried" }
            let copy = try Connection.inMemory()
            try PageCopy.copyPages(connection, into: copy)
            var failure: LockstepError?
            do { _ = try Migrator(set).run(on: copy) } catch let error as LockstepError {
                failure = error
            }
            if let failure {
                #expect(preview.isBlocked || isUnclear, "\(story)\n\(failure.message)")
            } else {
                // A rule can forbid what SQLite would do.
                let errors = preview.lint.filter {
                    $0.level == .error && $0.rule != "rename-old-first"
                }
                #expect(errors.isEmpty, "\(story)\nit runs")
            }
            tally[failure == nil ? (round == 0 ? "ran" : "declared") : "refused", default: 0] += 1
            guard round == 0, !preview.declarations.isEmpty else { return }
            set = try declaring(preview.declarations, set)
        }
    }
}
