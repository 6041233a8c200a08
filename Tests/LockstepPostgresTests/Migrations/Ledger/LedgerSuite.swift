import Lockstep
import Testing

/// The ledger, as every engine reads it.
@Suite("On both engines: the ledger") struct LedgerSuite {
    private static let two = [
        script("CREATE TABLE a (i bigint);", down: "DROP TABLE a;"),
        script("CREATE TABLE b (i bigint);", down: "DROP TABLE b;"),
    ]

    @Test("A row that Lockstep did not write is tampering, whatever is wrong in it", arguments: Engine.available)
    func impossible(_ engine: Engine) throws {
        let changes = [
            "version = '01'", "version = 'x'", "position = -1", "duration = -1",
            "checksum_tokens = SHORT", "checksum_bytes = SHORT",
        ]
        for change in changes {
            let database = try engine.database()
            try database.run(engine.set(Self.two))
            let sql = change.replacing("SHORT", with: database.literal([0]))
            try database.execute("UPDATE lockstep_migration SET \(sql) WHERE version = '1'")
            refused(.tampered) { _ = try database.history() }
            #expect(try database.outcome(.ledger, [engine.set(Self.two)]).obstacle?.code == .tampered)
        }
    }

    @Test("A view in the ledger's place fails a verification", arguments: Engine.available)
    func view(_ engine: Engine) throws {
        let database = try engine.database()
        let set = try engine.set(Self.two)
        try database.run(set)
        try database.execute("CREATE TABLE other AS SELECT * FROM lockstep_migration")
        try database.execute("DROP TABLE lockstep_migration")
        try database.execute("CREATE VIEW lockstep_migration AS SELECT * FROM other")
        #expect(try database.outcome(.ledger, [set]).hasFailed)
        #expect(throws: LockstepError.self) { try database.run(set) }
    }

    private static let halting = script(
        """
        -- lockstep: no transaction
        CREATE TABLE c (i bigint CHECK (i > 0));
        INSERT INTO c VALUES (0);
        """, down: "DROP TABLE c;")

    /// A database whose third version has stopped between its statements.
    private func halted(_ engine: Engine) throws -> (any EngineDatabase, MigrationSet) {
        let database = try engine.database()
        let set = try engine.set(Self.two + [Self.halting])
        refused(.migrationFailed) { try database.run(set) }
        #expect(try database.history().unfinished.map(\.version) == [MigrationVersion(3)])
        return (database, set)
    }

    @Test("A version in progress that contradicts the ledger is tampering", arguments: Engine.available)
    func contradiction(_ engine: Engine) throws {
        for version in ["1", "2"] {
            let (database, _) = try halted(engine)
            try database.execute("UPDATE \(database.progressTable) SET version = '\(version)'")
            refused(.tampered) { _ = try database.history() }
        }
    }

    @Test("A version that has stopped fails a verification, with its set and without", arguments: Engine.available)
    func unfinished(_ engine: Engine) throws {
        let (database, set) = try halted(engine)
        for sets in [[set], []] {
            let outcome = try database.outcome(.ledger, sets)
            #expect(outcome.hasFailed)
            let begun = outcome.findings.filter { $0.message.contains("test 3") && $0.message.contains("begun") }
            #expect(begun.count == 1 && begun[0].isFailure, "\(outcome.findings)")
        }
    }

    @Test("A version that has stopped is undone by its way down", arguments: Engine.available)
    func undone(_ engine: Engine) throws {
        let (database, set) = try halted(engine)
        let report = try database.run(set, .back(1))
        #expect(report.steps.map(\.version) == [MigrationVersion(3)] && report.steps.map(\.isUp) == [false])
        #expect(try database.tables() == ["a", "b"] && database.recorded() == ["test 1", "test 2"])
        #expect(try database.history().unfinished.isEmpty)
    }

    @Test("Given up, a version is pending again, and what has run stays", arguments: Engine.available)
    func abandoned(_ engine: Engine) throws {
        let (database, set) = try halted(engine)
        refused(.notFound) { try database.abandon(2, of: "test") }
        try database.abandon(3, of: "test")
        #expect(try database.history().unfinished.isEmpty)
        #expect(try database.tables() == ["a", "b", "c"])
        #expect(try database.plan(.latest, RunSettings(set: set)).steps.map(\.version) == [MigrationVersion(3)])
    }

    @Test("A baseline records versions that do not run, and only newer ones", arguments: Engine.available)
    func baseline(_ engine: Engine) throws {
        let database = try engine.database()
        let set = try engine.set(Self.two)
        refused(.migrationMissing) { _ = try database.baseline(set, at: 3) }
        #expect(try database.baseline(set, at: 1) == 1)
        #expect(try database.tables().isEmpty && database.recorded() == ["test 1"])
        refused(.alreadyExists) { _ = try database.baseline(set, at: 1) }
        #expect(try database.baseline(set, at: 2) == 1)
        #expect(try database.run(set).steps.isEmpty)
        #expect(try database.findings(.ledger, [set]).isEmpty)
        refused(.migrationChanged) {
            _ = try database.baseline(engine.set([Self.two[1], Self.two[0]]), at: 2)
        }
    }

    @Test("A baseline waits for a version in progress to end", arguments: Engine.available)
    func baselineOfHalted(_ engine: Engine) throws {
        let (database, set) = try halted(engine)
        refused(.migrationUnfinished) { _ = try database.baseline(set, at: 3) }
        try database.abandon(3, of: "test")
        #expect(try database.baseline(set, at: 3) == 1)
        #expect(try database.run(set).steps.isEmpty)
    }
}
