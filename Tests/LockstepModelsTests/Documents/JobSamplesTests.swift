import Lockstep
import TestSupport
import Testing

@Suite("The samples about long jobs")
struct JobSamplesTests {
    @Test("A verification shows its progress")
    func progress() throws {
        let sample = try SampleFolder()
        try sample.write(
            "Migrations/notes", ["0001_note.sql": "-- lockstep: up\nCREATE TABLE note (text);"])
        let folder = sample.folder
        let sets = [try MigrationSet(folder: folder.file("Migrations/notes"))]
        let keyring = try sample.database("notes", sets: sets)
        // sample: LongJobs.md
        let verification = Verification(folder.file("notes.db"), sets: sets)
        let report = try verification.run(keyring: keyring) { progress in
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
        let keyring = try sample.database(
            "notes", "CREATE TABLE note (text); INSERT INTO note VALUES ('bread')")
        let folder = sample.folder
        let store = try Store.open(folder.file("notes.db"), rawKey: keyring.activeDatabaseKey())
        // sample: LongJobs.md
        let copied = try await store.backup(to: folder.file("copy.db"))
        let verification = Verification(folder.file("copy.db"))
        let report = try await JobThread.run { try verification.run(keyring: keyring) }
        // end
        #expect(copied.rows["note"] == 1 && report.outcomes.count > 5)
    }
}
