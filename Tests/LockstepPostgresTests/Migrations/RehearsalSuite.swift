import Lockstep
import Testing

/// A rehearsal on a copy, of every engine.
@Suite("On both engines: rehearsals") struct RehearsalSuite {
    private static let scripts = [
        script("CREATE TABLE a (i bigint);\nINSERT INTO a VALUES (1), (2);"),
        script("CREATE TABLE b (i bigint);"), script("INSERT INTO b VALUES (1), (2), (3);"),
    ]

    @Test("It runs the pending versions on a copy and counts its rows", arguments: Engine.available)
    func clean(_ engine: Engine) throws {
        let database = try engine.database()
        try database.run(engine.set([Self.scripts[0]]))
        let report = try database.rehearse([engine.set(Self.scripts)])
        #expect(report.isClean && report.steps.map(\.version.description) == ["2", "3"])
        #expect(report.steps.map { $0.rows.map { $0.table.suffix(1) } } == [["b"], ["b"]])
        #expect(report.steps.map { $0.rows.map(\.before) } == [[nil], [0]])
        #expect(report.steps.map { $0.rows.map(\.after) } == [[0], [3]])
        #expect(report.bytesBefore > 0 && report.bytesAfter > 0 && report.logBytes > 0)
        #expect(try database.recorded() == ["test 1"] && database.tables() == ["a"])
    }

    @Test("A version that fails is its result", arguments: Engine.available)
    func failing(_ engine: Engine) throws {
        let database = try engine.database()
        try database.run(engine.set([Self.scripts[0]]))
        let failing = script("-- lockstep: allow loss of table a\nDELETE FROM a;\nINSERT INTO nowhere VALUES (1);")
        let report = try database.rehearse([engine.set([Self.scripts[0], Self.scripts[1], failing])])
        #expect(!report.isClean && report.failure?.code == .migrationFailed)
        #expect(report.steps.map(\.version.description) == ["2"])
        #expect(try database.numbers("SELECT i FROM a ORDER BY i") == [1, 2])
    }

    @Test(
        "Where nothing is pending there is nothing to rehearse, and an unsound set is refused",
        arguments: Engine.available)
    func nothing(_ engine: Engine) throws {
        let database = try engine.database()
        try database.run(engine.set([Self.scripts[0]]))
        let report = try database.rehearse([engine.set([Self.scripts[0]])])
        #expect(report.isClean && report.steps.isEmpty)
        refused(.migrationChanged) { _ = try database.rehearse([engine.set([Self.scripts[1]])]) }
    }
}
