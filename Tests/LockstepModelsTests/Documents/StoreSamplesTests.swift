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
    func firstPage() async throws {
        let sample = try SampleFolder()
        try sample.write("Migrations/notes", ["0001_note.sql": "-- lockstep: up\nCREATE TABLE note (body TEXT);"])
        let folder = sample.folder
        // sample: Lockstep.md
        let store = try await Store.open(
            folder.file("notes.db"), key: .keyFile(folder.file("my.key")),
            migrations: MigrationSet(folder: folder.file("Migrations/notes")))
        // end
        #expect(store.opening?.migrations.steps.map(\.name) == ["note"])
    }

    @Test("Reading and writing")
    func calls() async throws {
        let sample = try SampleFolder()
        try sample.database("notes", Self.table)
        let folder = sample.folder
        let (id, body) = (1, "and butter")
        // sample: LivingWithAStore.md
        let store = try await Store.open(folder.file("notes.db"), key: .keyFile(folder.file("my.key")))

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

    @Test("Records", .withFoundation)
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
        try await store.insert(all: ["Milk", "Salt"].map { Note(title: $0, written: .now, tags: []) })
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

    @Test("Conditions, SQL and transactions")
    func conditions() async throws {
        let store = try Store.temporary()
        // sample: ReadingAndWriting.md
        struct Film: Record {
            var id: Int64?
            var title: String
            var year: Int
            var likes = 0
            var seen: String?
        }
        // end
        try await store.write { db in
            try db.run(
                script: """
                    CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
                        year INTEGER NOT NULL, likes INTEGER NOT NULL, seen TEXT);
                    """)
            try db.insert(Film(id: 42, title: "Metropolis", year: 1927, likes: 2))
            try db.insert(Film(title: "The Kiss", year: 1896))
        }
        // sample: ReadingAndWriting.md
        let old = try await store.all(
            Film.self, where: { $0.year < 1970 && $0.title == "Metropolis" },
            orderBy: { [$0.year.descending, $0.title.ascending] }, limit: 20)
        let film = try await store.find(Film.self, 42)
        let first = try await store.first(Film.self, orderBy: { [$0.year.ascending] })
        let unseen = try await store.count(Film.self, where: { $0.seen == nil })
        try await store.update(Film.self, set: { [$0.likes += 1, $0.seen.set(to: "home")] }, where: { $0.id == 42 })
        let deleted = try await store.delete(Film.self, where: { $0.year.between(1895, 1899) })
        // end
        #expect(old.map(\.id) == [42] && film?.likes == 2 && first?.year == 1896)
        #expect(unseen == 2 && deleted == 1)
        // sample: ReadingAndWriting.md
        let found = try await store.all(
            Film.self,
            where: { film in
                film.year == 1927 && .scanning { $0.title.like("%polis") }
            })
        // end
        #expect(found.map(\.likes) == [3])
        // sample: ReadingAndWriting.md
        struct Decade: Decodable {
            var decade: Int
            var films: Int
        }

        let decades = try await store.read { db in
            try db.decode(
                Decade.self,
                """
                SELECT year / 10 * 10 AS decade, count(*) AS films FROM \(Film.self)
                WHERE likes > \(0) GROUP BY decade ORDER BY decade
                """)
        }
        // end
        #expect(decades.map(\.decade) == [1920])
        // sample: ReadingAndWriting.md
        try await store.write { db in
            guard var film = try db.find(Film.self, 42) else { return }
            film.likes += 1
            try db.update(film)
            try db.insert(Film(title: "\(film.title), restored", year: film.year))
        }
        // end
        let titles = try await store.all(Film.self, orderBy: { [$0.id.ascending] }).map(\.title)
        #expect(titles == ["Metropolis", "Metropolis, restored"])
    }

    @Test("Pages, and rows that are there already")
    func pages() async throws {
        struct Film: Record {
            var id: Int64?
            var title: String
            var year: Int
            var likes = 0
        }
        let store = try Store.temporary()
        try await store.write { db in
            try db.run(
                script: """
                    CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT NOT NULL,
                        year INTEGER NOT NULL, likes INTEGER NOT NULL, UNIQUE (title, year));
                    """)
            try db.insert(all: (1900..<1945).map { Film(title: "film \($0)", year: $0) })
        }
        // sample: ReadingAndWriting.md
        var page = try await store.page(Film.self, orderBy: { [$0.year.descending] }, limit: 20)
        while let last = page.last {
            print(page.map(\.title))
            page = try await store.page(Film.self, orderBy: { [$0.year.descending] }, limit: 20, after: last)
        }
        // end
        #expect(page.isEmpty)
        // sample: ReadingAndWriting.md
        try await store.upsert(Film(title: "Metropolis", year: 1927, likes: 3), on: \.title, \.year)
        let added = try await store.insertIfNew(Film(title: "M", year: 1931), on: \.title, \.year)
        // end
        #expect(added?.id == 47)
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

    @Test("From a path to a store")
    func opening() async throws {
        let folder = try TemporaryFolder()
        let films = try MigrationSet(
            name: "films",
            files: [
                ("0001_film.sql", "-- lockstep: up\nCREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT);"),
                ("0002_seal.sql", "-- lockstep: up\n-- lockstep: protect film.title dataset=films\n"),
            ])
        // sample: OpeningAStore.md
        let store = try await Store.open(
            folder.file("films.db"), key: .keyFile(folder.file("my.key")), migrations: films, sealed: Dataset("films"))
        // end
        #expect(store.opening?.isNew == true)
        #expect(store.opening?.migrations.steps.count == 2)
    }

    @Test("A new key")
    func rotation() async throws {
        let sample = try SampleFolder()
        let old = try sample.database("notes", Self.table)
        let folder = sample.folder
        let store = try Store.open(folder.file("notes.db"), rawKey: old.activeDatabaseKey())
        // sample: LivingWithAStore.md
        try await store.close()
        var access = try DatabaseAccess(to: folder.file("notes.db"), key: .keyFile(folder.file("my.key")))
        try await JobThread.run {
            try DatabaseKeyRotation(of: folder.file("notes.db")).run(&access)
        }
        let reopened = try await Store.open(folder.file("notes.db"), key: .keyFile(folder.file("my.key")))
        // end
        let count = try await reopened.read { db in
            try db.value("SELECT count(*) FROM note", as: Int.self)
        }
        #expect(count == 1)
        #expect(throws: LockstepError.self) {
            try Store.open(folder.file("notes.db"), rawKey: old.activeDatabaseKey())
        }
    }
}
