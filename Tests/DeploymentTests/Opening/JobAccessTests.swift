import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Jobs by each kind of access")
struct JobAccessTests {
    typealias Means = AccessScratch.Means

    private let scratch: AccessScratch
    private var path: FilePath { scratch.path }
    private var new: FilePath { scratch.folder.file("new.db") }
    private var backup: FilePath { scratch.folder.file("backup.db") }

    init() throws { scratch = try AccessScratch() }

    /// Expects that a job runs with a keyring, and that it is refused with a key alone, which changes nothing.
    private func needsKeyring(
        _ means: Means, sourceLocation: SourceLocation = #_sourceLocation, _ body: (inout DatabaseAccess) throws -> Void
    ) throws {
        var access = try scratch.access(means)
        guard !means.hasKeyring else { return try body(&access) }
        let before = try (Bytes.read(path), Bytes.read(scratch.file.path))
        let error = Refusal.error(.misuse, sourceLocation: sourceLocation) { try body(&access) }
        #expect(error?.hint?.contains("`DatabaseAccess(to:key:)`") == true, sourceLocation: sourceLocation)
        #expect(try (Bytes.read(path), Bytes.read(scratch.file.path)) == before)
        // The access is as good as before.
        #expect(try scratch.items(path, access) == 12)
    }

    // MARK: Jobs that only read

    @Test("A verification checks what the access allows", arguments: Means.allCases)
    func verification(_ means: Means) throws {
        let sets = [try Scratch.set(DeploymentScratch.first)]
        let report = try Verification(path, sets: sets).run(scratch.access(means))
        #expect(report.isClean, "\(report)")
        for check in [VerificationReport.Check.keyring, .freshness] {
            #expect(report.outcomes.contains { $0.check == check } == means.hasKeyring)
        }
    }

    @Test("An audit of the pages reads the database and its backups", arguments: Means.allCases)
    func audit(_ means: Means) throws {
        try scratch.backup(to: backup)
        var rotating = try scratch.access(.source)
        let access: DatabaseAccess
        if means.hasKeyring {
            try DatabaseKeyRotation(of: path).run(&rotating)
            access = try scratch.access(means)
        } else {
            access = try scratch.access(means)
        }
        for file in [path, backup] {
            let report = try PageAudit(file).run(access)
            #expect(report.isClean && report.pages > 0)
        }
    }

    // MARK: Migrations

    @Test("A rehearsal runs the pending versions", arguments: Means.allCases)
    func rehearsal(_ means: Means) throws {
        let rehearsal = Rehearsal(of: path, sets: [try DeploymentScratch.good()])
        let report = try rehearsal.run(scratch.access(means))
        #expect(report.steps.count == 2 && report.failure == nil)
    }

    @Test("A safe migration migrates, and knows its backups", arguments: Means.allCases)
    func safe(_ means: Means) throws {
        let access = try scratch.access(means)
        var migration = SafeMigration(of: path, sets: [try DeploymentScratch.good()])
        migration.keep = 1
        #expect(try migration.run(access).outcome == .migrated)
        migration.target = .version(MigrationVersion(1))
        #expect(try migration.run(access).outcome == .migrated)
        #expect(try scratch.items(path, access) == 12)
        let backups = try scratch.names.filter { $0.hasSuffix(".before-migration") }
        #expect(backups.count == 1)
    }

    @Test("A fleet gets an access for each file", arguments: Means.allCases)
    func fleet(_ means: Means) throws {
        let scratch = scratch
        let fleet = FleetMigration(of: [path], sets: [try DeploymentScratch.good()])
        let report = try fleet.run(access: { _ in try scratch.access(means) })
        #expect(report.migrated == 1)
    }

    // MARK: Files that are made

    @Test("A backup is restored over the database", arguments: Means.allCases)
    func restore(_ means: Means) throws {
        try scratch.backup(to: backup)
        try scratch.removeItems()
        var access = try scratch.access(means)
        #expect(try scratch.items(path, access) == 0)
        try Restore(path, from: backup).run(&access)
        #expect(try scratch.items(path, access) == 12)
    }

    @Test("A backup under a key of its own has an access of its own", arguments: Means.allCases)
    func foreignBackup(_ means: Means) throws {
        let other = try DatabaseScratch()
        try scratch.backup(to: backup, key: other.key(7))
        try scratch.removeItems()
        var access = try scratch.access(means)
        Refusal.expect(.wrongKey) { try Restore(path, from: backup).run(&access) }
        try Restore(path, from: backup).run(&access, backup: DatabaseAccess(rawKey: other.key(7)))
        #expect(try scratch.items(path, access) == 12)
    }

    @Test("A plaintext database is adopted", arguments: Means.allCases)
    func adoption(_ means: Means) throws {
        let original = scratch.folder.file("plain.db")
        do {
            try AtomicFile.create(original).close()
            let plain = try ExternalDatabase.makePlaintext(original)
            try plain.run(
                script:
                    "CREATE TABLE item (id INTEGER PRIMARY KEY); INSERT INTO item VALUES (1), (2)")
        }
        var access = try scratch.access(means)
        try Adoption(of: original, into: new).run(&access)
        #expect(try scratch.items(new, access) == 2)
    }

    @Test("A database is made from a template", arguments: Means.allCases)
    func provisioning(_ means: Means) throws {
        var access = try scratch.access(means)
        try Provisioning(new, from: path).run(&access, template: scratch.access(means))
        #expect(try scratch.items(new, access) == 12)
        let recorded = try scratch.keyring().summary.databases.count
        #expect(recorded == (means.hasKeyring ? 2 : 1))
    }

    @Test("A database is salvaged", arguments: Means.allCases)
    func salvage(_ means: Means) throws {
        var access = try scratch.access(means)
        let report = try Salvage(path, into: new).run(&access)
        #expect(report.tables.contains { $0.name == "item" && $0.rows == 12 })
        #expect(try PageAudit(new).run(access).isClean)
    }

    @Test("A plaintext database is salvaged", arguments: Means.allCases)
    func plaintextSalvage(_ means: Means) throws {
        let original = scratch.folder.file("plain.db")
        let store = try Store.open(path, rawKey: scratch.keyring().databaseKey(for: path))
        try PlaintextExport(to: original).run(on: store)
        try store.blocking.close()
        let access = try scratch.access(means)
        let report = try Salvage(original, into: new).runPlaintext(access)
        #expect(report.tables.contains { $0.name == "item" && $0.rows == 12 })
        #expect(try PageAudit(new).run(access).isClean)
    }

    // MARK: Jobs of the keyring

    @Test("The key is rotated", arguments: Means.allCases)
    func rotation(_ means: Means) throws {
        try needsKeyring(means) { access in
            let report = try DatabaseKeyRotation(of: path).run(&access)
            #expect(report.oldVersion == 1 && report.newVersion == 2)
            // The access has the new key, and so has the file.
            #expect(try scratch.items(path, access) == 12)
            #expect(try scratch.keyring().summary.keys.map(\.state) == [.retired, .active])
        }
    }

    @Test("A copy becomes a database of its own", arguments: Means.allCases)
    func fork(_ means: Means) throws {
        try scratch.backup(to: backup)
        try needsKeyring(means) { access in
            let report = try Fork(of: backup).run(&access)
            #expect(report.database != report.origin)
            #expect(try scratch.items(backup, access) == 12)
            #expect(try scratch.keyring().summary.databases.count == 2)
        }
    }

    @Test("A key that nothing needs is destroyed", arguments: Means.allCases)
    func destruction(_ means: Means) throws {
        var destruction = KeyDestruction(of: .database, version: 1)
        destruction.databases = [path]
        try needsKeyring(means) { access in
            guard means.hasKeyring else { return _ = try destruction.run(&access) }
            Refusal.expect(.keyringConflict) { try destruction.run(&access) }
            try DatabaseKeyRotation(of: path).run(&access)
            try destruction.run(&access)
            #expect(try scratch.keyring().summary.keys.map(\.state) == [.destroyed, .active])
            #expect(try scratch.items(path, access) == 12)
        }
    }
}
