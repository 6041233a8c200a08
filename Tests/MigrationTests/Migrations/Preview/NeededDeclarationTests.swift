import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("The declarations that a run needs")
final class NeededDeclarationTests {
    private static let base = """
        CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT);
        CREATE TABLE draft (x);
        CREATE TABLE old (x);
        INSERT INTO film (title) VALUES ('Laura'), ('M');
        INSERT INTO draft VALUES (1);
        INSERT INTO old VALUES (1);
        """

    private let connection: Connection

    init() throws { connection = try Connection.inMemory() }

    private func set(_ scripts: String...) throws -> MigrationSet {
        let set = try Scratch.set([Scratch.up(Self.base)] + scripts.map { Scratch.up($0) })
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        return set
    }

    private func declaring(
        _ declarations: [MigrationPreview.Declaration], _ set: MigrationSet
    ) throws -> MigrationSet {
        try declarations.reduce(set) { set, one in
            try set.declaring(one.directive, at: one.version, down: !one.isUp)
        }
    }

    @Test("One preview finds all of them, and with them the run is done")
    func all() throws {
        let set = try set(
            "DROP TABLE draft;", "CREATE TABLE scene (film REFERENCES cut (id), take REFERENCES take (id));",
            "DELETE FROM film;\nDROP TABLE old;", "CREATE TABLE \"odd name\" (x REFERENCES absent (y));")
        let preview = try Migrator(set).preview(on: connection)
        #expect(
            preview.declarations.map(\.description) == [
                "2: allow loss of table draft",
                "3: allow broken references of table scene",
                "4: allow loss of table film",
                "4: allow loss of table old",
                "5: allow broken references of table \"odd name\"",
            ])
        #expect(preview.isBlocked)
        #expect(preview.steps.map(\.statements.count) == [1, 1, 2, 1])
        #expect(throws: LockstepError.self) { try Migrator(set).run(on: connection) }
        let declared = try declaring(preview.declarations, set)
        let again = try Migrator(declared).preview(on: connection)
        #expect(again.declarations == [] && !again.isBlocked, "\(again.lint)")
        _ = try Migrator(declared).run(on: connection)
        #expect(try Ledger.entries(connection).count == 5)
    }

    @Test("Each of them is needed: without any one the preview is blocked and the run refused") func each() throws {
        let set = try set("DROP TABLE draft;", "CREATE TABLE scene (film REFERENCES cut (id));", "DELETE FROM old;")
        let needed = try Migrator(set).preview(on: connection).declarations
        #expect(needed.count == 3)
        for left in needed.indices {
            var some = needed
            some.remove(at: left)
            let partly = try declaring(some, set)
            let preview = try Migrator(partly).preview(on: connection)
            #expect(preview.declarations == [needed[left]] && preview.isBlocked)
            let fresh = try Connection.inMemory()
            _ = try Migrator(set).run(.version(MigrationVersion(1)), on: fresh)
            #expect(throws: LockstepError.self) { try Migrator(partly).run(on: fresh) }
        }
    }

    @Test("A reference that a later version of the run repairs needs none, and is a note") func repaired() throws {
        let set = try set(
            "CREATE TABLE scene (film REFERENCES cut (id));", "CREATE TABLE other (x);",
            "CREATE TABLE cut (id INTEGER PRIMARY KEY);")
        let preview = try Migrator(set).preview(on: connection)
        #expect(preview.declarations == [] && !preview.isBlocked, "\(preview.lint)")
        #expect(
            preview.lint.contains {
                $0.level == .note && $0.message.contains("until a later version of this run")
            })
        let report = try Migrator(set).run(on: connection)
        #expect(report.steps.count == 3)
        #expect(report.notices.contains { $0.message.contains("until a later version of this run") })
    }

    @Test("One that stays broken at the end of the run is refused before anything is committed")
    func staysBroken() throws {
        let set = try set(
            "CREATE TABLE scene (film REFERENCES cut (id));", "CREATE TABLE cut (other INTEGER PRIMARY KEY);")
        #expect(
            try Migrator(set).preview(on: connection).declarations.map(\.description)
                == ["2: allow broken references of table scene"])
        Refusal.expect(.foreignKeysBroken) { _ = try Migrator(set).run(on: connection) }
        #expect(try Ledger.entries(connection).count == 1)
        // A run that ends before the repair does not have it.
        let more = try self.set(
            "CREATE TABLE scene (film REFERENCES cut (id));", "CREATE TABLE cut (id INTEGER PRIMARY KEY);")
        Refusal.expect(.foreignKeysBroken) {
            _ = try Migrator(more).run(.version(MigrationVersion(2)), on: connection)
        }
        _ = try Migrator(more).run(on: connection)
    }

    @Test("Rows without a parent are no missing parent: a later version repairs nothing") func rows() throws {
        let set = try set(
            """
            CREATE TABLE scene (film INTEGER REFERENCES film (id));
            """,
            "-- lockstep: foreign keys off\nINSERT INTO scene VALUES (77);",
            "INSERT INTO film VALUES (77, 'late');")
        Refusal.expect(.foreignKeysBroken) { _ = try Migrator(set).run(on: connection) }
        #expect(try Ledger.entries(connection).count == 2)
    }

    @Test("What has its own transactions is not tried twice")
    func bare() throws {
        let set = try set(
            "-- lockstep: no transaction\nCREATE TABLE scene (film REFERENCES cut (id));\nVACUUM;", "DROP TABLE draft;")
        let preview = try Migrator(set).preview(on: connection)
        #expect(preview.isBlocked)
        #expect(!preview.declarations.contains { $0.version == MigrationVersion(2) })
    }
}
