import Foundation
import Lockstep
import SystemPackage
import TestSupport
import Testing

/// The second release of the first program: a set with one more version.
private enum SecondRelease {
    enum EmbeddedMigrations {
        static var films: MigrationSet {
            get throws(LockstepError) {
                try MigrationSet(
                    name: "films",
                    files: [
                        LockstepModelsTests.EmbeddedMigrations.create,
                        (
                            name: "0002_seen.sql",
                            content: """
                            -- lockstep: up
                            ALTER TABLE film ADD COLUMN seen TEXT;
                            -- lockstep: down
                            ALTER TABLE film DROP COLUMN seen;

                            """
                        ),
                    ])
            }
        }
    }

    static func run(_ folder: TemporaryFolder) async throws -> Int? {
        // sample: YourFirstStore.md
        struct Film: Record {
            var id: Int64?
            var title: String
            var year: Int
            var seen: String?
        }
        let store = try await Store.open(
            folder.file("films.db"), key: .keyFile(folder.file("my.key")),
            migrations: EmbeddedMigrations.films, records: Film.self)
        for step in store.opening?.migrations.steps ?? [] {
            print("version \(step.version): \(step.name)")
        }

        async let seen = store.observe { try $0.count(Film.self, where: { $0.seen != nil }) }
            .first { $0 > 0 }
        try await store.update(Film.self, set: { [$0.seen.set(to: "at home")] }, where: { $0.title == "Metropolis" })
        print("seen: \(try await seen ?? 0)")
        try await store.close()
        // end
        return try await seen
    }
}

@Suite("The samples of the first pages")
struct FirstStoreSamplesTests {
    @Test("The second release opens the database of the first")
    func releases() async throws {
        let folder = try TemporaryFolder()
        for run in 1...2 { #expect(try await first(folder) == run) }
        #expect(try await SecondRelease.run(folder) == 2)
        await #expect { _ = try await first(folder) } throws: {
            ($0 as? LockstepError)?.code == .migrationMissing
        }
    }

    private func first(_ folder: TemporaryFolder) async throws -> Int {
        // sample: YourFirstStore.md
        struct Film: Record {
            var id: Int64?
            var title: String
            var year: Int
        }
        let store = try await Store.open(
            folder.file("films.db"), key: .keyFile(folder.file("my.key")),
            migrations: EmbeddedMigrations.films, records: Film.self)
        try await store.insert(Film(title: "Metropolis", year: 1927))
        let old = try await store.all(Film.self, where: { $0.year < 1970 }, orderBy: { [$0.id.ascending] })
        for film in old { print(film.id ?? 0, film.title, film.year) }
        // end
        return old.count
    }

    private struct Film: Record {
        var id: Int64?
        var title: String
        var year: Int
    }

    @Test("Sets that are embedded")
    func sets() throws {
        // sample: EmbeddingMigrations.md
        let set = try EmbeddedMigrations.oldFilms
        let same = try EmbeddedMigrations.set("old-films")
        let all = try EmbeddedMigrations.names.compactMap { try EmbeddedMigrations.set($0) }
        // end
        #expect(set.name == same?.name)
        #expect(all.map(\.name) == EmbeddedMigrations.names)
    }

    @Test("Several sets, and a test's own database")
    func severalSets() async throws {
        let folder = try TemporaryFolder()
        do {
            // sample: EmbeddingMigrations.md
            let store = try await Store.open(
                folder.file("app.db"), key: .keyFile(folder.file("my.key")),
                migrations: EmbeddedMigrations.users, EmbeddedMigrations.oldFilms)
            // end
            #expect(store.opening?.migrations.steps.map(\.set) == ["users", "old-films"])
        }
        // sample: EmbeddingMigrations.md
        let store = try Store.temporary()
        try await store.migrate(EmbeddedMigrations.oldFilms)
        try await store.check(Film.self)
        // end
        try await store.close()
    }

    @Test("A release seals its first column")
    func sealing() async throws {
        let folder = try TemporaryFolder()
        try await Store.open(
            folder.file("films.db"), key: .keyFile(folder.file("my.key")), migrations: EmbeddedMigrations.films
        ).close()
        let protect = "protect film.title dataset=films index=casefold"
        let films = try MigrationSet(
            name: "films",
            files: [
                EmbeddedMigrations.create,
                (name: "0002_seal_titles.sql", content: "-- lockstep: up\n-- lockstep: \(protect)\n"),
            ])
        // sample: SealedColumnsInAProgram.md
        let store = try await Store.open(
            folder.file("films.db"), key: .keyFile(folder.file("my.key")), migrations: films,
            sealed: Dataset("films", key: .keyFile(folder.file("films.key"))), records: Film.self)
        // end
        // sample: SealedColumnsInAProgram.md
        try await store.insert(Film(title: "Metropolis", year: 1927))
        let found = try await store.all(Film.self, where: { $0.title.equalIgnoringCase("METROPOLIS") })
        // end
        #expect(found.map(\.title) == ["Metropolis"])
        // sample: SealedColumnsInAProgram.md
        let titles = try await store.read { db in
            try db.query("SELECT title FROM \(Film.self) WHERE year < \(1950)") { row in
                try row[0] as String
            }
        }
        // end
        #expect(titles == ["Metropolis"])
        let stored = try await store.read { db in
            try db.value("SELECT typeof(title) FROM film", as: String.self)
        }
        #expect(stored == "blob")
    }

    @Test("Errors, and cancelling")
    func errors() async throws {
        let store = try Store.temporary()
        try await store.migrate(EmbeddedMigrations.films)
        try await store.write { db in
            try db.execute("CREATE UNIQUE INDEX film_title ON film (title)")
        }
        try await store.insert(Film(title: "Metropolis", year: 1927))
        // sample: HandlingErrors.md
        do {
            try await store.insert(Film(title: "Metropolis", year: 1927))
        } catch let error as LockstepError where error.code == .constraint {
            print("There is such a film already: \(error.context.table ?? "")")
        } catch let error as LockstepError {
            print(error.message)
            if let hint = error.hint { print("hint: \(hint)") }
        }
        // end
        // sample: HandlingErrors.md
        let search = Task {
            try await store.all(Film.self, where: { $0.title.like("%polis") })
        }
        search.cancel()
        do { print(try await search.value.count) } catch is CancellationError { print("cancelled") }
        // end
        #expect(try await store.count(Film.self) == 1)
    }

    @Test("Rows that GRDB wrote are read", .withFoundation)
    func fromGRDB() async throws {
        let store = try Store.temporary()
        try await store.write { db in
            try db.run(
                script: """
                    CREATE TABLE player (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,
                        joined DATETIME NOT NULL, token BLOB NOT NULL);
                    INSERT INTO player (name, joined, token)
                        VALUES ('Ann', '2026-11-23 02:13:20.123', zeroblob(16));
                    """)
        }
        // sample: ComingFromGRDB.md
        struct Player: Record {
            var id: Int64?
            var name: String
            var joined: Date
            var token: UUID

            static func uuids(for column: String) -> UUIDColumns { .blob }
        }
        let players = try await store.all(Player.self, orderBy: { [$0.joined.ascending] })
        // end
        #expect(players.map { Int(($0.joined.timeIntervalSince1970 * 1000).rounded()) } == [1_795_400_000_123])
    }

    @Test("A database that was adopted opens like any other")
    func adopted() async throws {
        let sample = try SampleFolder()
        let folder = sample.folder
        let person = "CREATE TABLE person (id INTEGER PRIMARY KEY, name TEXT);"
        try sample.write("Migrations/app", ["0001_baseline.sql": "-- lockstep: up\n\(person)\n"])
        try sample.database(
            "app", sets: [MigrationSet(folder: folder.file("Migrations/app"))])
        // sample: IHaveASQLiteFile.md
        let store = try await Store.open(
            folder.file("app.db"), key: .keyFile(folder.file("my.key")),
            migrations: MigrationSet(folder: folder.file("Migrations/app")))
        let count = try await store.read { db in
            try db.value("SELECT count(*) FROM person", as: Int.self)
        }
        // end
        #expect(count == 0)
    }

    @Test("A service does not make a database by accident")
    func service() async throws {
        let folder = try TemporaryFolder()
        let films = try EmbeddedMigrations.films
        await #expect {
            // sample: Deploying.md
            let store = try await Store.open(
                folder.file("films.db"), key: .keyFile(folder.file("my.key")), migrations: films, mode: .existing)
            // end
            try await store.close()
        } throws: {
            ($0 as? LockstepError)?.code == .notFound
        }
    }
}
