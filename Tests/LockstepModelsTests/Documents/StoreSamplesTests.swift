import Foundation
import Lockstep
import SystemPackage
import TestSupport
import Testing

@Suite("The samples about stores")
struct StoreSamplesTests {
    private static let table =
        "CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT, body TEXT);"
        + "INSERT INTO note (title, body) VALUES ('Shopping', 'bread')"

    @Test("The first page opens and migrates a database")
    func firstPage() throws {
        let sample = try SampleFolder()
        try sample.database("notes")
        try sample.write(
            "Migrations/notes", ["0001_note.sql": "-- lockstep: up\nCREATE TABLE note (body TEXT);"]
        )
        let folder = sample.folder
        // sample: Lockstep.md
        let keyring = try KeyringFile.database(beside: folder.file("notes.db")).open { _ in
            try KeyFile.read(folder.file("my.key"))
        }
        let connection = try Connection.open(
            folder.file("notes.db"), key: keyring.databaseKey(for: folder.file("notes.db")))
        let report = try Migrator(MigrationSet(folder: folder.file("Migrations/notes"))).run(
            on: connection)
        // end
        #expect(report.steps.map(\.name) == ["note"])
    }

    @Test("Reading and writing")
    func calls() async throws {
        let sample = try SampleFolder()
        let keyring = try sample.database("notes", Self.table)
        let folder = sample.folder
        let (id, body) = (1, "and butter")
        // sample: LivingWithAStore.md
        let store = try Store.open(
            folder.file("notes.db"), key: keyring.databaseKey(for: folder.file("notes.db")))

        let title: String? = try await store.read { db in
            try db.value("SELECT title FROM note WHERE id = \(id)")
        }
        try await store.write { db in
            try db.execute("INSERT INTO note (title, body) VALUES (?, ?)", title, body)
        }
        // end
        let titles = try await store.read { db in
            try db.query("SELECT title FROM note") { row in try row[0] as String }
        }
        #expect(titles == ["Shopping", "Shopping"])
    }

    @Test("Records")
    func records() async throws {
        let store = try Store.temporary()
        try await store.write { db in
            try db.run(
                script: """
                    CREATE TABLE note (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
                        written TEXT NOT NULL, tags TEXT NOT NULL);
                    CREATE TABLE visit (id INTEGER PRIMARY KEY, at INTEGER);
                    CREATE TABLE book (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
                        released INTEGER NOT NULL);
                    """)
        }
        // sample: TypesAndRecords.md
        struct Note: Record {
            var id: Int64?
            var title: String
            var written: Date
            var tags: [String]
        }

        var note = try await store.insert(Note(title: "Shopping", written: .now, tags: ["food"]))
        note.title = "Bread"
        try await store.update(note)
        try await store.insert(
            all: ["Milk", "Salt"].map { Note(title: $0, written: .now, tags: []) })
        let notes = try await store.read { db in
            try db.decode(Note.self, "SELECT * FROM note ORDER BY written")
        }
        // end
        #expect(notes.map(\.title) == ["Bread", "Milk", "Salt"] && notes[0].tags == ["food"])
        // sample: TypesAndRecords.md
        struct Book: Record {
            enum CodingKeys: String, CodingKey { case id, title, year = "released" }
            static var columns: [PartialKeyPath<Self>: String] { [\.year: "released"] }

            var id: Int64?
            var title: String
            var year: Int
        }
        // end
        // sample: TypesAndRecords.md
        try await store.check(Note.self, Book.self)
        // end
        // sample: TypesAndRecords.md
        struct Visit: Record {
            var id: Int64?
            var at: Date

            static func dates(for column: String) -> DateColumns { .secondsSince1970 }
        }
        // end
        let at = Date(timeIntervalSince1970: 7)
        #expect(try await store.insert(Visit(at: at)).at == at)
    }

    @Test("Limits on time and memory")
    func limits() async {
        // They apply to the process.
        await #expect(processExitsWith: .success) {
            do {
                // sample: LivingWithAStore.md
                try MemoryLimit.set(512 * 1024 * 1024)  // for the process, before anything opens
                var options = ConnectionOptions()
                options.timeLimit = .seconds(5)  // for each statement
                options.deadline = .now + .seconds(60)  // for everything on the connection
                options.limits[.valueLength] = 16 * 1024 * 1024
                // end
                let connection = try Connection.inMemory(options)
                let error = #expect(throws: LockstepError.self) {
                    try connection.value("SELECT zeroblob(20000000)", as: [UInt8].self)
                }
                #expect(error != nil && MemoryLimit.bytes == 512 * 1024 * 1024)
            } catch {
                Issue.record(error)
            }
        }
    }

    @Test("A new key")
    func rotation() throws {
        let sample = try SampleFolder()
        let old = try sample.database("notes", Self.table)
        let folder = sample.folder
        let store = try Store.open(folder.file("notes.db"), key: old.databaseKey())
        // sample: LivingWithAStore.md
        try store.close()
        let file = KeyringFile.database(beside: folder.file("notes.db"))
        var keyring = try file.open { _ in try KeyFile.read(folder.file("my.key")) }
        try DatabaseKeyRotation(of: folder.file("notes.db"), keyring: file).run(&keyring)
        let reopened = try Store.open(
            folder.file("notes.db"), key: keyring.databaseKey(for: folder.file("notes.db")))
        // end
        let count = try reopened.read { db in
            try db.value("SELECT count(*) FROM note", as: Int.self)
        }
        #expect(count == 1)
        #expect(throws: LockstepError.self) {
            try Store.open(folder.file("notes.db"), key: old.databaseKey())
        }
    }
}
