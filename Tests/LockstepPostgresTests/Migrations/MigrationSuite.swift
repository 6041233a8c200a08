import Lockstep
import Testing

/// What a run does, on every engine.
@Suite("On both engines: migrations") struct MigrationSuite {
    private static let two = [
        script("CREATE TABLE a (i bigint);", down: "DROP TABLE a;"),
        script(
            "CREATE TABLE b (i bigint);\nINSERT INTO a VALUES (7);",
            down: "DELETE FROM a;\n-- lockstep: allow loss of table a\nDROP TABLE b;"),
    ]

    @Test("Versions are applied once, recorded, and undone by their files", arguments: Engine.available)
    func upAndDown(_ engine: Engine) throws {
        let database = try engine.database()
        let set = try engine.set(Self.two)
        let report = try database.run(set)
        #expect(report.steps.map(\.version.description) == ["1", "2"] && report.steps.map(\.statements) == [1, 2])
        #expect(report.steps.allSatisfy(\.isUp) && report.notices.isEmpty)
        #expect(try database.recorded() == ["test 1", "test 2"])
        #expect(try database.run(set).steps.isEmpty)
        #expect(try database.numbers("SELECT i FROM a") == [7])
        let back = try database.run(set, .version(MigrationVersion(1)))
        #expect(back.steps.map(\.isUp) == [false] && back.notices.map(\.code) == [.rowsLost])
        #expect(try database.tables() == ["a"])
        let redo = try database.run(set, .redo(1))
        #expect(redo.steps.map { "\($0.isUp ? "up" : "down") \($0.version)" } == ["down 1", "up 1"])
        #expect(try database.run(set, .version(MigrationVersion(2))).steps.count == 1)
        #expect(try database.run(set, .downTo(.unversioned)).steps.map(\.version.description) == ["2", "1"])
        #expect(try database.tables().isEmpty && database.recorded().isEmpty)
        refused(.migrationMissing) { try database.run(set, .version(MigrationVersion(9))) }
    }

    @Test("A version that fails leaves nothing, and those before it stay", arguments: Engine.available)
    func failure(_ engine: Engine) throws {
        let database = try engine.database()
        let set = try engine.set(Self.two + [script("CREATE TABLE c (i bigint);\nINSERT INTO nowhere VALUES (1);")])
        var report = MigrationReport()
        let error = refused(.migrationFailed) {
            try database.run(.latest, RunSettings(set: set), into: &report)
        }
        #expect(error?.context.line == 3 && error?.context.file?.hasSuffix("0003_step.sql") == true, "\(error as Any)")
        #expect(report.steps.count == 2)
        #expect(try database.tables() == ["a", "b"] && database.recorded() == ["test 1", "test 2"])
    }

    @Test("An unsound set stops a run before it begins", arguments: Engine.available)
    func unsound(_ engine: Engine) throws {
        let database = try engine.database()
        try database.run(engine.set([Self.two[0]]))
        refused(.migrationChanged) { try database.run(engine.set([script("CREATE TABLE x (i bigint);")])) }
        func set(_ names: String...) throws -> MigrationSet {
            try MigrationSet(
                name: "test", files: zip(names, Self.two + Self.two).map { (name: $0, content: $1) },
                engine: engine == .file ? .sqlite : .postgres)
        }
        refused(.versionGap) { try database.run(set("0001_step.sql", "0003_step.sql")) }
        refused(.versionDuplicate) { try database.run(set("0001_step.sql", "0002_x.sql", "0002_y.sql")) }
        #expect(try database.recorded() == ["test 1"])
    }

    @Test("A set that was read for the other engine is refused", arguments: Engine.available)
    func otherEngine(_ engine: Engine) throws {
        let other: Engine = engine == .file ? .server : .file
        let database = try engine.database()
        refused(.misuse) { try database.run(other.set(Self.two)) }
        refused(.misuse) { _ = try database.plan(.latest, RunSettings(set: other.set(Self.two))) }
        refused(.misuse) { _ = try database.baseline(other.set(Self.two), at: 1) }
    }

    @Test("A version whose file is gone is undone as recorded, if its caller wants that", arguments: Engine.available)
    func recordedDown(_ engine: Engine) throws {
        let database = try engine.database()
        try database.run(engine.set(Self.two))
        let older = try engine.set([Self.two[0]])
        refused(.migrationMissing) { try database.run(older) }
        refused(.migrationMissing) { try database.run(older, .version(MigrationVersion(1))) }
        #expect(try database.run(older, .version(MigrationVersion(1)), recordedDown: .allowed).steps.count == 1)
        #expect(try database.run(older).steps.isEmpty && database.tables() == ["a"])
    }

    @Test("Two sets have one ledger, and versions of their own", arguments: Engine.available)
    func twoSets(_ engine: Engine) throws {
        let database = try engine.database()
        try database.run(engine.set(Self.two))
        try database.run(engine.set([script("CREATE TABLE o (i bigint);")], named: "other"))
        #expect(try database.recorded() == ["test 1", "test 2", "other 1"])
        #expect(try database.history().entries.map(\.position) == [1, 2, 3])
    }

    @Test("Rows that a version loses without a word stop it", arguments: Engine.available)
    func losses(_ engine: Engine) throws {
        let database = try engine.database()
        for silent in ["DELETE FROM a;", "DROP TABLE a;"] {
            let set = try engine.set(Self.two + [script(silent)])
            refused(.rowsLost) { try database.run(set) }
            #expect(try database.numbers("SELECT i FROM a") == [7] && database.recorded().count == 2)
        }
        let declared = try engine.set(Self.two + [script("-- lockstep: allow loss of table a\nDELETE FROM a;")])
        #expect(try database.run(declared).notices.map(\.code) == [.rowsLost])
    }

    @Test("Repeatable migrations run after the versions, and again when they have changed", arguments: Engine.available)
    func repeatables(_ engine: Engine) throws {
        let database = try engine.database()
        let table = (name: "V1__a.sql", content: "CREATE TABLE a (i bigint);")
        func set(_ view: String, _ more: String = "SELECT 1;") throws -> MigrationSet {
            try engine.flyway(table, (name: "R__v.sql", content: view), (name: "R__w.sql", content: more))
        }
        let first = try database.run(set("CREATE VIEW v AS SELECT i FROM a;"))
        #expect(first.steps.count == 1 && first.repeated.map(\.name) == ["v", "w"])
        #expect(try database.run(set("CREATE VIEW v AS SELECT i FROM a;")).repeated.isEmpty)
        let changed = try set("DROP VIEW v; CREATE VIEW v AS SELECT i, 1 AS n FROM a;", "SELECT nothing;")
        var report = MigrationReport()
        refused(.migrationFailed) { try database.run(.latest, RunSettings(set: changed), into: &report) }
        #expect(report.repeated.map(\.name) == ["v"])
        #expect(try database.history().repeated.map(\.name).sorted() == ["v", "w"])
    }
}
