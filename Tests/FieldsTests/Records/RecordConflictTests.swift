import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Inserts that meet a row with the same values")
struct RecordConflictTests {
    typealias Kind = RecordScratch.Kind

    /// Films whose title and year are UNIQUE together, with a note that is plain or sealed.
    private func database(_ kind: Kind) throws -> RecordScratch {
        let scratch = try RecordScratch(.plain)
        do {
            let db = try scratch.open()
            try db.run(script: "CREATE UNIQUE INDEX movie_title ON movie (title, year);")
            if kind == .sealed {
                try db.protect(
                    "note", of: "movie", keys: scratch.workbench.keys, mode: .random,
                    padding: .none,
                    batch: 10)
            }
            try db.insert(Movie(id: 7, title: "M", year: 1931, note: "old"))
        }
        return scratch
    }

    @Test(
        "An upsert updates the row, which keeps its key, or inserts one", arguments: Kind.allCases)
    func upsert(kind: Kind) throws {
        let scratch = try database(kind)
        let db = try scratch.open()
        try db.upsert(Movie(title: "M", year: 1931, note: "new"), on: \.title, \.year)
        try db.upsert(
            Movie(id: 99, title: "M", year: 1931, note: "newer"), on: \.title, \.year)
        #expect(try db.movies() == [Movie(id: 7, title: "M", year: 1931, note: "newer")])
        try db.upsert(Movie(title: "M", year: 1951, note: "other"), on: \.title, \.year)
        #expect(try db.movies().map(\.note) == ["newer", "other"])
        // NULL is equal to nothing.
        for _ in 0..<2 { try db.upsert(Movie(title: "M"), on: \.title, \.year) }
        #expect(try db.movies().count == 4)
    }

    @Test("`insertIfNew` inserts, or changes nothing", arguments: Kind.allCases)
    func insertIfNew(kind: Kind) throws {
        let scratch = try database(kind)
        let db = try scratch.open()
        #expect(
            try db.insertIfNew(
                Movie(title: "M", year: 1931, note: "new"), on: \.title, \.year) == nil)
        #expect(try db.movies().map(\.note) == ["old"])
        let row = try db.insertIfNew(
            Movie(title: "N", year: 1, note: "n"), on: \.title, \.year)
        #expect(row == Movie(id: 8, title: "N", year: 1, note: "n"))
        if kind == .plain {
            #expect(try db.insertIfNew(Movie(title: "O"), on: \.title, \.year)?.id == 9)
        }
        // A conflict in another column is none that was asked about.
        Refusal.expect(.constraint) {
            _ = try db.insertIfNew(Movie(id: 7, title: "P", year: 2), on: \.title, \.year)
        }
        #expect(try db.insertIfNew(Movie(id: 7, title: "P", year: 2), on: \.id) == nil)
    }

    @Test("Columns that are not UNIQUE, and sealed ones, are errors")
    func refused() throws {
        let unsealed = try database(.plain)
        let plain = try unsealed.open()
        Refusal.expect(.sqlFailed) {
            _ = try plain.insertIfNew(Movie(title: "M", year: 3), on: \.year)
        }
        let scratch = try database(.sealed)
        let sealed = try scratch.open()
        Refusal.expect(.misuse) { try sealed.upsert(Movie(title: "M", note: "x"), on: \.note) }
        #expect(try sealed.movies().count == 1)
    }

    @Test("The store's calls do the same")
    func store() async throws {
        let store = try Store.inMemory()
        try await store.write {
            try $0.run(
                script:
                    "CREATE TABLE movie (id INTEGER PRIMARY KEY, title TEXT NOT NULL UNIQUE, year INTEGER, note TEXT);")
        }
        try await store.upsert(Movie(title: "M", year: 1), on: \.title)
        try await store.upsert(Movie(title: "M", year: 2), on: \.title)
        #expect(try await store.insertIfNew(Movie(title: "M", year: 3), on: \.title) == nil)
        #expect(try await store.all(Movie.self) == [Movie(id: 1, title: "M", year: 2)])
        #expect(try await store.page(Movie.self, limit: 5).count == 1)
    }
}
