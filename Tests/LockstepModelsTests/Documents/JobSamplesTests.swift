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

    @Test("A backup is awaited")
    func awaited() async throws {
        let sample = try SampleFolder()
        let keyring = try sample.database(
            "notes", "CREATE TABLE note (text); INSERT INTO note VALUES ('bread')")
        let folder = sample.folder
        let store = try Store.open(folder.file("notes.db"), key: keyring.activeDatabaseKey())
        // sample: LongJobs.md
        let report = try await Backup(to: folder.file("copy.db")).run(on: store)
        // end
        #expect(report.rows["note"] == 1)
    }
}
