import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Counts its calls from SQL.
private final class Canary {
    var rings = 0
}

/// Random changes to everything that a database records about migrations, beside an unchanged twin.
@Suite("A campaign against the ledger")
struct LedgerCampaignTests {
    private let sets: [MigrationSet]

    init() throws {
        let rank = Scratch.up(
            """
            ALTER TABLE film ADD COLUMN rank INTEGER;
            -- lockstep: backfill film batch=1
            UPDATE film SET rank = 1 WHERE id BETWEEN :first AND :last;
            CREATE INDEX film_rank ON film (rank);
            """, down: "DROP INDEX IF EXISTS film_rank;\nALTER TABLE film DROP COLUMN rank;")
        sets = [
            try MigrationSet(name: "films", files: LedgerVictim.files + [(name: "0004_rank.sql", content: rank)]),
            try MigrationSet(name: "shelves", layout: .flyway, files: LedgerVictim.otherFiles),
        ]
    }

    /// A database of both sets, with the first at its third version, or partly through its fourth.
    private func database(_ fields: [FieldKeys], isBegun: Bool, _ canary: Canary) throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = fields
        let connection = try Connection.inMemory(options)
        try connection.add("canary", argumentCount: 0) { _ in canary.rings += 1 }
        _ = try Migrator(sets[0]).run(.version(MigrationVersion(3)), on: connection)
        _ = try Migrator(sets[1]).run(on: connection)
        guard isBegun else { return connection }
        try connection.execute("INSERT INTO film (title) VALUES ('Laura'), ('Gilda'), ('M')")
        let stopping = Migrator(sets[0]) { if case .backfilled = $0 { throw Stop() } }
        do { _ = try stopping.run(on: connection) } catch is Stop {}
        return connection
    }

    /// The verification's findings about the ledger and the schema.
    private func verdict(_ connection: borrowing Connection) -> [String] {
        func messages(_ body: () throws -> CheckResult) -> [String] {
            do { return try body().findings.map(\.message) } catch { return ["\(error)"] }
        }
        return messages { try LedgerCheck.run(connection, sets) }
            + messages { try DriftCheck.run(connection, sets, ConnectionOptions()) }
    }

    /// Everything that the engine records about migrations.
    private func memory(_ connection: borrowing Connection) throws -> [String] {
        try ["lockstep_migration", "lockstep_progress", "lockstep_repeatable"].flatMap {
            table -> [String] in
            guard try EngineTables.exists(table, connection) else { return [] }
            return try connection.query("SELECT * FROM main.\(name: table) ORDER BY 1, 2, 3") {
                row in
                try (0..<row.count).map { "\(try row.leniently($0))" }.joined(separator: "|")
            }
        }
    }

    private func objects(_ connection: borrowing Connection) throws -> Set<String> {
        Set(
            try connection.query("SELECT name FROM main.sqlite_schema") { try $0[0] as String }
                .filter { !$0.hasPrefix("lockstep_") && !$0.hasPrefix("sqlite_") })
    }

    /// Every command that reads the ledger. The result lists the objects that exist after each.
    private func tryEverything(_ connection: borrowing Connection) throws -> [Set<String>] {
        let one = MigrationVersion(1)
        var seen: [Set<String>] = []
        for target: Plan.Target in [
            .redo(1), .back(1), .latest, .version(one), .latest, .downTo(MigrationVersion(0)), .back(9),
        ] {
            for set in sets {
                do {
                    _ = try Migrator(set).run(target, on: connection)
                } catch is LockstepError {
                    // Refused, which is just as good.
                }
                seen.append(try objects(connection))
            }
        }
        return seen
    }

    private static let known = LedgerVictim.objects.union(["film_rank"])

    @Test(
        "No SQL of the ledger runs, and every change is reported, or is listed as undetectable",
        arguments: 0..<8)
    func campaign(_ number: Int) throws {
        let isBegun = number.isMultiple(of: 2)
        let hasCodes = number % 4 < 2
        let fields = hasCodes ? [try CellWorkbench.keys()] : []
        var source = SplitMix64(state: UInt64(number) &* 0x1234_5678_9ABC)
        let canary = Canary()
        let twin = try database(fields, isBegun: isBegun, canary)
        let expected = verdict(twin)
        let before = try memory(database(fields, isBegun: isBegun, canary)).count
        let course = try tryEverything(twin)
        #expect(course.contains(Self.known.subtracting(["film_rank"])) || isBegun)
        var reported = 0
        var excused: [LedgerMutation.Excuse: Int] = [:]
        let steps = Torture.isLong ? 1400 : 30
        for _ in 0..<steps {
            let connection = try database(fields, isBegun: isBegun, canary)
            let untouched = try memory(connection)
            #expect(untouched.count == before)
            let mutation = LedgerMutation.random(hasCodes: hasCodes, isBegun: isBegun, &source)
            do {
                try LedgerVictim.forge(mutation.sql, connection)
            } catch is LockstepError {
                // SQLite's own constraints reject it.
            }
            guard try memory(connection) != untouched else { continue }
            let found = verdict(connection)
            if let excuse = mutation.excuse {
                #expect(found == expected, "this is reported and needs no excuse: \(mutation.sql)")
                excused[excuse, default: 0] += 1
                let run = try tryEverything(connection)
                if excuse != .howFar { #expect(run == course, "\(mutation.sql)") }
            } else {
                #expect(found != expected, "not reported: \(mutation.sql)")
                reported += 1
                _ = try tryEverything(connection)
            }
            let strangers = try objects(connection).subtracting(Self.known)
            #expect(strangers.isEmpty, "\(mutation.sql) left \(strangers)")
            #expect(canary.rings == 0, "it ran: \(mutation.sql)")
            if canary.rings > 0 { return }
        }
        #expect(reported > steps * 2 / 5 && reported + excused.values.reduce(0, +) > steps * 5 / 7)
    }

    @Test("The control: if recorded SQL is requested and the files are gone, the canary rings") func control() throws {
        let canary = Canary()
        let connection = try database([], isBegun: false, canary)
        try LedgerVictim.forge(
            "UPDATE lockstep_migration SET down = '\(LedgerMutation.planted)' WHERE position = 3;", connection)
        let older = try MigrationSet(name: "films", files: Array(LedgerVictim.files.prefix(2)))
        _ = try Migrator(older, recordedDown: .allowed).run(.back(1), on: connection)
        #expect(canary.rings == 1)
        #expect(try objects(connection).contains("loot"))
    }
}
