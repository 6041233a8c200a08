import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Recorded ways down in a rehearsal, in a safe migration, and in a fleet.
@Suite("Recorded ways down in deployments")
struct DeploymentRecordedDownTests {
    private let scratch: DeploymentScratch
    /// Without the file of the newest version.
    private let older: MigrationSet

    init() throws {
        scratch = try DeploymentScratch()
        older = try Scratch.set(DeploymentScratch.first, DeploymentScratch.second)
        let connection = try scratch.database.open()
        _ = try Migrator(DeploymentScratch.good()).run(on: connection)
    }

    private func rehearsal(_ recorded: RecordedDown) -> Rehearsal {
        var rehearsal = Rehearsal(of: scratch.path, sets: [older])
        (rehearsal.target, rehearsal.recordedDown) = (.back(1), recorded)
        return rehearsal
    }

    private func migration(_ recorded: RecordedDown) -> SafeMigration {
        var migration = SafeMigration(of: scratch.path, sets: [older])
        (migration.target, migration.recordedDown) = (.back(1), recorded)
        return migration
    }

    private func fleet(_ recorded: RecordedDown) -> FleetMigration {
        var fleet = FleetMigration(of: [scratch.path], sets: [older])
        (fleet.target, fleet.recordedDown) = (.back(1), recorded)
        return fleet
    }

    private func failure(of fleet: FleetMigration) throws -> LockstepError.Code? {
        var code: LockstepError.Code?
        _ = try fleet.run(access: { _ in try scratch.access() }) { code = $0.error?.code }
        return code
    }

    private var applied: Int {
        get throws { try Ledger.entries(scratch.database.open()).count }
    }

    @Test("They are refused before anything is copied or written, unless requested")
    func refused() throws {
        Refusal.expect(.migrationMissing) { _ = try rehearsal(.refused).run(scratch.access()) }
        Refusal.expect(.migrationMissing) { try migration(.refused).run(scratch.access()) }
        var safely = fleet(.refused)
        safely.safely = FleetMigration.Safety()
        for fleet in [fleet(.refused), safely] {
            #expect(try failure(of: fleet) == .migrationMissing)
        }
        #expect(try applied == 3)
        #expect(try scratch.backups == [])
        #expect(try rehearsal(.allowed).run(scratch.access()).isClean)
        #expect(try applied == 3)
        #expect(try failure(of: fleet(.allowed)) == nil)
        #expect(try applied == 2)
    }

    @Test("A safe migration runs them on request, too")
    func safely() throws {
        try migration(.allowed).run(scratch.access())
        #expect(try applied == 2)
    }

    @Test("With field keys they are refused, even if a file could run")
    func withKeys() throws {
        let keys = try CellWorkbench.keys()
        var rehearsal = rehearsal(.allowed)
        rehearsal.options.fieldKeys = [keys]
        Refusal.expect(.misuse) { _ = try rehearsal.run(scratch.access()) }
        var migration = migration(.allowed)
        migration.options.fieldKeys = [keys]
        Refusal.expect(.misuse) { try migration.run(scratch.access()) }
        var fleet = fleet(.allowed)
        fleet.options.fieldKeys = [keys]
        #expect(try failure(of: fleet) == .misuse)
        #expect(try applied == 3)
        #expect(try scratch.backups == [])
    }

    @Test("A changed row stops each of them, though its version is not being undone")
    func forged() throws {
        do {
            let connection = try scratch.database.open()
            try LedgerVictim.forge(
                "UPDATE lockstep_migration SET down = '\(LedgerVictim.planted)' WHERE version = '1';", connection)
        }
        let good = try DeploymentScratch.good()
        Refusal.expect(.migrationChanged) {
            _ = try Rehearsal(of: scratch.path, sets: [good]).run(scratch.access())
        }
        Refusal.expect(.migrationChanged) {
            try SafeMigration(of: scratch.path, sets: [good]).run(scratch.access())
        }
        #expect(try failure(of: FleetMigration(of: [scratch.path], sets: [good])) == .migrationChanged)
        #expect(try scratch.backups == [])
    }
}
