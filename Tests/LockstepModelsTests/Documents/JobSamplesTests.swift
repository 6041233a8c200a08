import Lockstep
import TestSupport
import Testing

@Suite("The samples about long jobs")
struct JobSamplesTests {
    @Test("A verification shows its progress")
    func progress() throws {
        let sample = try SampleFolder()
        try sample.write("Migrations/notes", ["0001_note.sql": "-- lockstep: up\nCREATE TABLE note (text);"])
        let folder = sample.folder
        let sets = [try MigrationSet(folder: folder.file("Migrations/notes"))]
        try sample.database("notes", sets: sets)
        // sample: LongJobs.md
        let access = try DatabaseAccess(to: folder.file("notes.db"), key: .keyFile(folder.file("my.key")))
        let verification = Verification(folder.file("notes.db"), sets: sets)
        let report = try verification.run(access) { progress in
            guard let total = progress.total else { return }
            print("\(progress.phase): \(progress.done) of \(total) \(progress.unit)")
        }
        print(report.isClean, report.time.duration)
        // end
        #expect(report.isClean)
    }

    @Test("A verification is awaited")
    func awaited() async throws {
        let sample = try SampleFolder()
        let keyring = try sample.database("notes", "CREATE TABLE note (text); INSERT INTO note VALUES ('bread')")
        let folder = sample.folder
        let store = try Store.open(folder.file("notes.db"), rawKey: keyring.activeDatabaseKey())
        // sample: LongJobs.md
        let copied = try await store.backup(to: folder.file("copy.db"))
        let access = try DatabaseAccess(to: folder.file("notes.db"), key: .keyFile(folder.file("my.key")))
        let report = try await JobThread.run {
            try Verification(folder.file("copy.db")).run(access)
        }
        // end
        #expect(copied.rows["note"] == 1 && report.outcomes.count > 5)
    }

    @Test("One access serves several jobs")
    func access() throws {
        let sample = try SampleFolder()
        try sample.database("notes", "CREATE TABLE note (text)")
        let folder = sample.folder
        // sample: LongJobs.md
        var access = try DatabaseAccess(to: folder.file("notes.db"), key: .keyFile(folder.file("my.key")))
        try DatabaseKeyRotation(of: folder.file("notes.db")).run(&access)
        let pages = try PageAudit(folder.file("notes.db")).run(access)
        // end
        #expect(pages.isClean)
        let key = try access.databaseKey(for: folder.file("notes.db"))
        _ = try Connection.open(folder.file("notes.db"), key: key)
    }
}
