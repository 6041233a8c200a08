import Lockstep
import Testing

@testable import LockstepPostgres

/// What a verification reports of the registry of sealed columns, as of every engine.
@Suite("On both engines: verification of the registry") struct RegistryCheckSuite {
    private let keys: FieldKeys

    init() throws { keys = try SealedScratch.makeKeys() }

    private static let table = script(
        """
        CREATE TABLE films (id bigint NOT NULL, title text, note text, PRIMARY KEY (id));
        -- lockstep: plaintext films.*
        """)
    private static let sealed = script("-- lockstep: protect films.title dataset=films")
    private static let both = [table, sealed]

    /// A database with the column sealed, and the set.
    private func database(
        _ engine: Engine, _ scripts: [String] = both
    ) throws -> (any EngineDatabase, MigrationSet) {
        let database = try engine.database(keys: keys)
        let set = try engine.set(scripts)
        try database.run(set)
        return (database, set)
    }

    @Test("What the keys prove is counted", arguments: Engine.available)
    func proven(_ engine: Engine) throws {
        let (database, set) = try database(engine)
        let outcome = try database.outcome(.registry, [set])
        #expect(outcome.summary == "1 sealed column proven" && !outcome.hasFailed, "\(outcome.findings)")
    }

    @Test("A column that was renamed or dropped since is not missed", arguments: Engine.available)
    func renamed(_ engine: Engine) throws {
        let renaming = script("ALTER TABLE films RENAME COLUMN title TO name;")
        let (database, set) = try database(engine, Self.both + [renaming])
        #expect(try !database.outcome(.registry, [set]).hasFailed)
    }

    @Test("A registry that somebody has emptied is missed, by the versions that sealed", arguments: Engine.available)
    func emptied(_ engine: Engine) throws {
        let (database, set) = try database(engine)
        for table in ["lockstep_dataset", "lockstep_column", "lockstep_field_key"] {
            try database.execute("DELETE FROM \(table)")
        }
        let missed =
            "failure: the set test sealed films.title for the dataset films, but the database no longer records that"
        let other = try database.withoutKeys()
        #expect(try other.findings(.registry, [set]).contains(missed))
        // Nor does a run go on.
        refused(.registryMissing) { try other.run(set) }
    }

    @Test("A version in progress says nothing of what it seals", arguments: Engine.available)
    func halted(_ engine: Engine) throws {
        let halting = script("-- lockstep: protect films.note dataset=films\nINSERT INTO nowhere VALUES (1);")
        let database = try engine.database(keys: keys)
        let set = try engine.set(Self.both + [halting])
        var report = MigrationReport()
        #expect(throws: LockstepError.self) {
            try database.run(.latest, RunSettings(set: set), into: &report)
        }
        #expect(try !database.outcome(.registry, [set]).hasFailed)
    }
}
