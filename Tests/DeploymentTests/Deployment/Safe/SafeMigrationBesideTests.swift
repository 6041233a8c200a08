import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A safe migration, and another program that changes the fields keyring and makes the database remember that.
@Suite("A safe migration beside a change of its fields keyring")
struct SafeMigrationBesideTests {
    private struct Beside {
        let scratch: OpeningScratch
        let file: KeyringFile

        init() throws {
            scratch = try OpeningScratch()
            try scratch.fill(2)
            file = try KeyringFile.fields(of: "films", beside: scratch.path)
            let next = scratch.folder.path.appending("2/films/0003_note.sql")
            try Bytes.write(Array("-- lockstep: up\nALTER TABLE film ADD COLUMN note TEXT;\n".utf8), to: next)
        }

        func open(_ file: KeyringFile) throws -> Keyring {
            try file.open { _ in try KeyFile.read(scratch.folder.file("my.key")) }
        }

        /// What `seal` does at its end in another process.
        func change() throws {
            var keyring = try open(file)
            try file.update(&keyring) { _ = try $0.createKey(.field) }
            var options = ConnectionOptions()
            options.fieldKeys = [try keyring.fieldKeys(named: "films")]
            let key = try open(scratch.keyring).databaseKey(for: scratch.path)
            let connection = try Connection.open(scratch.path, key: key, options: options)
            try keyring.rememberFields(in: connection)
        }
    }

    /// Runs the migration, and the change when it reports for this time.
    /// - Returns: Its report, and whether the change came.
    private func run(changingAt call: Int) throws -> (
        report: SafeMigrationReport, isChanged: Bool, error: LockstepError?
    ) {
        let beside = try Beside()
        var migration = SafeMigration(of: beside.scratch.path, sets: [try beside.scratch.set(2)])
        migration.options.fieldKeys = [try beside.open(beside.file).fieldKeys(named: "films")]
        let access = try DatabaseAccess(beside.open(beside.scratch.keyring), for: beside.scratch.path)
        var report = SafeMigrationReport()
        var calls = 0
        var failure: LockstepError?
        do {
            try migration.run(access, into: &report) { _ in
                calls += 1
                guard calls == call else { return }
                do {
                    try beside.change()
                } catch let error as LockstepError where error.code == .busy {
                    // While a version has the write lock nobody changes the database.
                    calls -= 1
                }
            }
        } catch let error as LockstepError {
            failure = error
        }
        return (report, calls >= call, failure)
    }

    @Test("Whenever it comes, the migration is not undone for it") func changed() throws {
        var counts = (migrated: 0, refused: 0)
        for call in 1...60 {
            let (report, isChanged, error) = try run(changingAt: call)
            guard isChanged else { break }
            if let error {
                // Before it has opened the database its keys are old.
                #expect(
                    error.code == .keyringOutdated && report.outcome == nil && report.backup == nil, "\(call): \(error)"
                )
                counts.refused += 1
            } else {
                #expect(report.outcome == .migrated, "\(call)")
                counts.migrated += 1
            }
        }
        #expect(counts.migrated > 3 && counts.refused <= 1, "\(counts)")
    }
}
