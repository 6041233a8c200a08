import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A preview of versions that seal columns tries them on a copy with the rows, without keys.
@Suite("Previews of versions that seal")
final class SealingPreviewTests {
    private static let base = """
        CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT, note TEXT, code TEXT);
        CREATE TABLE scene (id INTEGER PRIMARY KEY, film INTEGER REFERENCES film (id), name TEXT);
        INSERT INTO film VALUES (1, 'M', 'x', '001'), (2, 'M', NULL, '2'), (3, 'Laura', '', NULL);
        INSERT INTO scene VALUES (1, 1, 'a'), (2, 1, 'b');
        """
    private static let seal = "-- lockstep: protect film.title dataset=catalogue"

    private let scratch: DatabaseScratch
    private let keys: FieldKeys

    init() throws {
        scratch = try DatabaseScratch()
        keys = try CellWorkbench.keys(named: "catalogue")
    }

    /// What a preview without keys says, which the run must do.
    private func preview(
        _ scripts: [String], sealedBefore: Bool = false
    ) throws -> MigrationPreview {
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        options.mayBeUnsealed = true
        let connection = try scratch.create(options)
        let set = try Scratch.set(([Self.base] + scripts).map { Scratch.up($0) })
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        if sealedBefore {
            let change = SealingChange(table: "film", column: "note", goal: .protect(mode: .random, padding: .none))
            _ = try change.run(on: connection, keys: keys)
        }
        let preview = try Migrator(set).preview(on: scratch.open())
        do {
            _ = try Migrator(set).run(on: connection)
            #expect(!preview.isBlocked, "it runs, but \(preview.lint)")
        } catch let error as LockstepError {
            #expect(preview.isBlocked, "it is refused: \(error)")
        }
        guard !preview.declarations.isEmpty else { return preview }
        let declared = try preview.declarations.reduce(set) { set, one in
            try set.declaring(one.directive, at: one.version, down: !one.isUp)
        }
        _ = try Migrator(declared).run(on: connection)
        return preview
    }

    @Test(
        "A column that was sealed with an index before becomes the version's own, without another pass",
        arguments: ["index=exact", "index=exact,lower:20 padding=16", "", "mode=deterministic index=exact"])
    func adopted(_ settings: String) throws {
        var options = ConnectionOptions()
        options.fieldKeys = [keys]
        options.mayBeUnsealed = true
        let connection = try scratch.create(options)
        let protect = "-- lockstep: protect film.note dataset=catalogue \(settings)"
        let set = try Scratch.set(Scratch.up(Self.base), Scratch.up(protect))
        _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
        let directive = try #require(SealingDirective("protect film.note dataset=catalogue \(settings)"))
        _ = try directive.change.run(on: connection, keys: keys)
        let cells = try connection.query("SELECT note FROM film ORDER BY id", as: [UInt8]?.self)
        #expect(try !Migrator(set).preview(on: scratch.open()).isBlocked)
        #expect(try Migrator(set).run(on: connection).steps.count == 1)
        #expect(try connection.query("SELECT note FROM film ORDER BY id", as: [UInt8]?.self) == cells)
        let found = try SchemaSnapshot(connection)
        #expect(try DriftCheck.differences(of: found, on: connection, [set], .init()) == [])
        #expect(try Migrator(set).preview(on: scratch.open()).steps.isEmpty)
    }

    @Test("A column of that name which the engine has not made is still refused")
    func occupied() throws {
        let protect = "-- lockstep: protect film.note dataset=catalogue index=exact"
        let preview = try preview(["ALTER TABLE film ADD COLUMN note_exact_token INTEGER;\n" + protect])
        #expect(preview.isBlocked)
    }

    @Test(
        "names whatever the run refuses after a column was sealed",
        arguments: [
            (["DELETE FROM scene WHERE name = 'b';"], ["3: allow loss of table scene"]),
            (
                ["CREATE TABLE other (x);", "DELETE FROM film WHERE id = 3;"],
                ["4: allow loss of table film"]
            ),
            (["ALTER TABLE film DROP COLUMN code;"], ["3: allow loss of column film.code"]),
            (
                [
                    "-- lockstep: foreign keys off\n"
                        + "CREATE TABLE n (id INTEGER PRIMARY KEY, title TEXT, note TEXT, code INTEGER);\n"
                        + "INSERT INTO n SELECT * FROM film;\nDROP TABLE film;"
                ], ["3: allow changed values of column film.code", "3: allow broken references of table scene"]
            ),
            (["UPDATE film SET note = 'y';", "DELETE FROM film WHERE title = 'M';"], []),
            (["ALTER TABLE film RENAME COLUMN title TO name;", "UPDATE film SET note = 'y';"], []),
            (
                [
                    "-- lockstep: rebuild table film\n"
                        + "CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL, note TEXT, code TEXT);"
                ], []
            ),
        ] as [([String], [String])])
    func declared(scripts: [String], needed: [String]) throws {
        let found = try preview([Self.seal] + scripts)
        #expect(found.declarations.map(\.description) == needed, "\(found.lint)")
    }

    @Test(
        "finds what fails, and what the cells of a column do not do",
        arguments: [
            (["CREATE UNIQUE INDEX by_note ON scene (film);"], true),
            (["CREATE UNIQUE INDEX by_title ON film (title);"], false), (["UPDATE film SET title = 'X';"], true),
            (["INSERT INTO film (title) VALUES ('X');"], true), (["INSERT INTO film (note) VALUES ('X');"], false),
        ] as [([String], Bool)])
    func refused(scripts: [String], isBlocked: Bool) throws {
        let found = try preview([Self.seal] + scripts)
        #expect(found.isBlocked == isBlocked && found.declarations.isEmpty, "\(found.lint)")
    }

    @Test("works beside a column that is sealed already")
    func others() throws {
        let found = try preview([Self.seal, "DELETE FROM scene WHERE name = 'b';"], sealedBefore: true)
        #expect(found.declarations.map(\.description) == ["3: allow loss of table scene"])
    }

    @Test("finds a column that cannot be sealed")
    func unsealable() throws {
        let found = try preview(["CREATE INDEX by_title ON film (title);\nDELETE FROM scene WHERE id = 9;", Self.seal])
        #expect(found.isBlocked)
        #expect(found.lint.contains { $0.message.contains("the index by_title contains its values") })
    }

    @Test("says what the equal cells of a deterministic column show, and of no other one", arguments: [true, false])
    func deterministic(_ isDeterministic: Bool) throws {
        let lint = try preview([Self.seal + (isDeterministic ? " mode=deterministic" : "")]).lint
        let found = lint.filter { $0.rule == "deterministic" }.map(\.message)
        #expect(found.count == (isDeterministic ? 1 : 0), "\(lint)")
        #expect(found.allSatisfy { $0.contains("3 rows have 2 values") && $0.contains("occurs 2 times") }, "\(found)")
    }
}
