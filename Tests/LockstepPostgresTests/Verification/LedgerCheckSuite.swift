import Lockstep
import Testing

/// What a verification reports of the ledger, as of every engine.
@Suite("On both engines: verification of the ledger") struct LedgerCheckSuite {
    private static let a = script("CREATE TABLE a (i bigint);", down: "DROP TABLE a;")
    private static let b = script("CREATE TABLE b (i bigint);", down: "DROP TABLE b;")
    private static let c = script("CREATE TABLE c (i bigint);", down: "DROP TABLE c;")

    @Test("What is applied agrees, and what is pending is a notice", arguments: Engine.available)
    func pending(_ engine: Engine) throws {
        let database = try engine.database()
        #expect(try database.outcome(.ledger, [engine.set([Self.a])]).summary == "nothing applied")
        try database.run(engine.set([Self.a, Self.b]))
        let outcome = try database.outcome(.ledger, [engine.set([Self.a, Self.b])])
        #expect(outcome.summary == "2 applied of test" && outcome.findings.isEmpty)
        #expect(
            try database.findings(.ledger, [engine.set([Self.a, Self.b, Self.c])]) == [
                "notice: 1 version of test is not applied yet"
            ])
    }

    @Test("Sets that were not given are a failure, and none at all a notice", arguments: Engine.available)
    func sets(_ engine: Engine) throws {
        let database = try engine.database()
        try database.run(engine.set([Self.a]))
        try database.run(engine.set([Self.b], named: "other"))
        #expect(
            try database.findings(.ledger, [engine.set([Self.a])]) == [
                "failure: the set other was applied, but no folder of that name was given"
            ])
        #expect(
            try database.findings(.ledger, nil) == ["notice: no migrations were given to compare the ledger with"])
        let both = try [engine.set([Self.a]), engine.set([Self.b], named: "other")]
        #expect(try database.outcome(.ledger, both).summary == "2 applied of other, test")
    }

    @Test("A repeatable migration that has changed and has not run is a notice", arguments: Engine.available)
    func repeatables(_ engine: Engine) throws {
        let database = try engine.database()
        let table = (name: "V1__a.sql", content: "CREATE TABLE a (i bigint);")
        let view = "CREATE VIEW v AS SELECT i FROM a;"
        try database.run(engine.flyway(table, (name: "R__v.sql", content: view)))
        #expect(try database.findings(.ledger, [engine.flyway(table, (name: "R__v.sql", content: view))]).isEmpty)
        let changed = "DROP VIEW v; CREATE VIEW v AS SELECT i, 1 AS n FROM a;"
        let set = try engine.flyway(
            table, (name: "R__v.sql", content: changed), (name: "R__w.sql", content: "CREATE VIEW w AS SELECT 1 AS n;"))
        #expect(
            try database.findings(.ledger, [set]) == [
                "notice: R__v.sql has not run yet in its current form",
                "notice: R__w.sql has not run yet in its current form",
            ])
        try database.run(set)
        #expect(try database.findings(.ledger, [set]).isEmpty)
        #expect(
            try database.findings(.ledger, [engine.flyway(table)]) == [
                "notice: the file of the repeatable migration v is gone",
                "notice: the file of the repeatable migration w is gone",
            ])
    }

    @Test("A version that was applied after a newer one is a notice", arguments: Engine.available)
    func late(_ engine: Engine) throws {
        let database = try engine.database()
        let files = [
            (name: "20240101000000_a.sql", content: Self.a), (name: "20240102000000_b.sql", content: Self.b),
            (name: "20240103000000_c.sql", content: Self.c),
        ]
        func set(_ files: [(name: String, content: String)]) throws -> MigrationSet {
            try MigrationSet(name: "test", files: files, engine: engine == .file ? .sqlite : .postgres)
        }
        try database.run(set([files[0], files[2]]))
        refused(.outOfOrder) { try database.run(set(files)) }
        try database.run(set(files), allowsOutOfOrder: true)
        #expect(try database.recorded().map { $0.suffix(14) }.last == "20240102000000")
        #expect(
            try database.findings(.ledger, [set(files)]) == [
                "notice: test 20240102000000 was applied after 20240103000000"
            ])
    }

    @Test("A file that has changed is a failure, and its formatting a notice", arguments: Engine.available)
    func changed(_ engine: Engine) throws {
        let database = try engine.database()
        try database.run(engine.set([Self.a, Self.b]))
        let commented = try database.outcome(.ledger, [engine.set([Self.a + "-- a remark\n", Self.b])])
        #expect(commented.findings.map(\.isFailure) == [false])
        let other = try database.outcome(.ledger, [engine.set([Self.c, Self.b])])
        #expect(other.findings.map(\.isFailure) == [true] && other.findings[0].message.contains("has changed"))
        let gone = try database.outcome(.ledger, [engine.set([Self.a])])
        #expect(gone.findings.map(\.isFailure) == [true] && gone.findings[0].message.contains("its file is gone"))
        #expect(try database.outcome(.drift, [engine.set([Self.a, Self.b])]).findings.isEmpty)
    }

    @Test("What somebody adds to the schema is drift", arguments: Engine.available)
    func drift(_ engine: Engine) throws {
        let database = try engine.database()
        let set = try engine.set([Self.a])
        try database.run(set)
        try database.execute("CREATE TABLE more (i bigint)")
        let outcome = try database.outcome(.drift, [set])
        #expect(outcome.hasFailed && outcome.findings[0].message.contains("more is unexpected"), "\(outcome.findings)")
        #expect(try database.outcome(.drift, nil).isCarriedOut == false)
    }
}
