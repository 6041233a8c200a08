import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A set whose folder was renamed after a database was migrated with it.
@Suite("A set with another name")
final class SetRenamingTests {
    private let scratch: DatabaseScratch
    private let keys: FieldKeys

    init() throws {
        scratch = try DatabaseScratch()
        keys = try CellWorkbench.keys(named: "films")
    }

    private static let scripts = [
        "CREATE TABLE film (id INTEGER PRIMARY KEY);", "ALTER TABLE film ADD COLUMN title TEXT;",
    ]

    private static func set(_ name: String, _ count: Int = 2) throws -> MigrationSet {
        var files = scripts.prefix(count).enumerated().map { (name: "V\($0 + 1)__step.sql", content: $1) }
        files.append(
            (name: "R__names.sql", content: "DROP VIEW IF EXISTS names; CREATE VIEW names AS SELECT id FROM film;"))
        return try MigrationSet(name: name, layout: .flyway, files: files)
    }

    private func connection(withKeys: Bool = false) throws -> Connection {
        var options = ConnectionOptions()
        if withKeys {
            options.fieldKeys = [keys]
            options.mayBeUnsealed = true
        }
        return try scratch.create(options)
    }

    private static let renaming = SetRenaming(from: "films", to: "movies")

    @Test("Nothing of it runs again, and its records become those of the new name", arguments: [false, true])
    func renamed(_ withKeys: Bool) throws {
        let connection = try connection(withKeys: withKeys)
        _ = try Migrator(Self.set("films")).run(on: connection)
        let before = try Ledger.history(connection)
        Refusal.expect(.migrationMissing) { _ = try Migrator(Self.set("movies")).run(on: connection) }
        let repair = try Repair(sets: [Self.set("movies")], renamed: Self.renaming)
        #expect(try repair.changes(on: connection).map(\.parts) == [[.set], [.set]])
        #expect(try Ledger.history(connection) == before)
        #expect(try repair.apply(on: connection).map(\.set) == ["movies", "movies"])
        let after = try Ledger.history(connection)
        #expect(after.entries.map(\.set) == ["movies", "movies"] && after.repeated.map(\.set) == ["movies"])
        #expect(after.entries.map(\.appliedAt) == before.entries.map(\.appliedAt))
        #expect(try LedgerCodes(connection).check(after.entries) == (withKeys ? 2 : 0))
        #expect(try Ledger.repairs(connection).map(\.formerName) == ["films/step", "films/step"])
        #expect(try Migrator(Self.set("movies")).run(on: connection).steps.isEmpty)
        // Nothing is sealed with the keys.
        guard !withKeys else { return }
        let report = try Verification(scratch.path, sets: [Self.set("movies")]).run(key: scratch.key())
        #expect(report.isClean, "\(report.messages)")
    }

    @Test("What fits only in part is another set, and runs")
    func other() throws {
        let connection = try connection()
        _ = try Migrator(Self.set("films")).run(on: connection)
        let other = try MigrationSet(
            name: "movies", layout: .flyway, files: [(name: "V1__step.sql", content: "CREATE TABLE movie (x);")])
        #expect(try Migrator(other).run(on: connection).steps.count == 1)
        Refusal.expect(.misuse) { _ = try Repair(sets: [other], renamed: Self.renaming).changes(on: connection) }
    }

    @Test("A name that the database does not record, a set that was not given, and a version in progress are refused")
    func refused() throws {
        let connection = try connection()
        _ = try Migrator(Self.set("films")).run(on: connection)
        func expect(_ code: LockstepError.Code, _ former: String, _ name: String, _ sets: String...) {
            Refusal.expect(code) {
                let repair = try Repair(sets: sets.map { try Self.set($0) }, renamed: .init(from: former, to: name))
                _ = try repair.apply(on: connection)
            }
        }
        expect(.notFound, "film", "movies", "movies")
        expect(.misuse, "films", "movies", "shows")
        expect(.misuse, "films", "movies", "movies", "films")
        expect(.misuse, "films", "films", "films")
        #expect(try Ledger.entries(connection).allSatisfy { $0.set == "films" })
        // A version that is gone is not made up for.
        Refusal.expect(.migrationMissing) {
            _ = try Repair(sets: [Self.set("movies", 1)], renamed: Self.renaming).apply(on: connection)
        }
    }
}
