import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("Films: search and ratings")
struct MovieQueriesTests {
    private static let films = [
        Movie(title: "Casablanca", category: "Romance", year: 1942, coverURL: "c"),
        Movie(title: "Metropolis", category: "Science", year: 1927, movieURL: "http://m"),
        Movie(title: "Laura", category: "Crime", year: 1944),
        Movie(title: "Gilda", category: "Crime", year: 1946, isWatched: true, likes: 3),
        Movie(title: "M", category: "Crime", year: 1931), Movie(title: "M", category: "Crime", year: 1951),
    ]

    private func filled(_ bench: borrowing ModelBench, version: UInt64) throws -> MovieStore {
        let store = try bench.open(MovieStore.self, version: version)
        for film in Self.films { try store.insert(film) }
        return store
    }

    @Test(
        "by year, by category and after a year, by title and by key, on every version of the schema",
        arguments: [1, 2, 3] as [UInt64])
    func found(version: UInt64) throws {
        let bench = try ModelBench("movies")
        let store = try filled(bench, version: version)
        #expect(
            try store.allByYear().map(\.title)
                == ["Metropolis", "M", "Casablanca", "Laura", "Gilda", "M"])
        #expect(try store.movies(inCategory: "Crime").map(\.year) == [1951, 1931, 1946, 1944])
        #expect(try store.movies(inCategory: "Crime", after: 1944).map(\.year) == [1951, 1946])
        #expect(try store.movies(inCategory: "crime") == [])
        #expect(try store.movies(titled: "M").map(\.id) == [5, 6])
        #expect(try store.movies(titled: "' OR 1=1 --") == [])
        let gilda = try #require(try store.movie(4))
        #expect(gilda.isWatched && gilda.likes == 3 && gilda.movieURL == nil)
        #expect(try store.movie(7) == nil)
    }

    @Test("awaited calls return the same")
    func awaited() async throws {
        let bench = try ModelBench("movies")
        let store: MovieStore = try await MovieStore.open(
            bench.path, key: bench.keyring.activeDatabaseKey(), options: bench.options)
        for film in Self.films { try await store.insert(film) }
        let crimes = try await store.movies(inCategory: "Crime", after: 1950)
        #expect(crimes.map(\.id) == [6])
        #expect(try await store.movies(titled: "Laura").map(\.id) == [3])
        #expect(try await store.allByYear().count == 6)
        #expect(try await store.count() == 6)
        #expect(try await store.movie(7) == nil)
        #expect(try await !store.rate(70, isWatched: true, likes: 1))
        #expect(try await store.rate(1, isWatched: true, likes: 1))
        #expect(try await store.delete(3))
        #expect(try await !store.delete(3))
    }

    @Test(
        "watched and likes are changed, likes only from 0 to 3, and a deletion returns whether it did"
    )
    func rated() throws {
        let bench = try ModelBench("movies")
        let store = try filled(bench, version: 3)
        for likes in 0...3 {
            #expect(try store.rate(1, isWatched: likes > 1, likes: likes))
            let film = try #require(try store.movie(1))
            #expect(film.likes == likes && film.isWatched == (likes > 1))
        }
        for likes in [-1, 4, .max] {
            do {
                try store.rate(1, isWatched: true, likes: likes)
                Issue.record("\(likes) likes")
            } catch let error as LockstepError {
                #expect(error.code == .malformedInput)
            }
            #expect(throws: LockstepError.self) {
                try store.insert(Movie(title: "x", category: "", year: 1, likes: likes))
            }
        }
        #expect(try store.movie(1)?.likes == 3)
        var film = try #require(try store.movie(2))
        (film.title, film.movieURL, film.likes) = ("O'Brien", nil, 2)
        #expect(try store.update(film))
        #expect(try store.movie(2) == film)
        #expect(try store.movies(titled: "O'Brien").map(\.id) == [2])
        #expect(try !store.update(Movie(id: 70, title: "x", category: "", year: 1)))
        #expect(try store.count() == 6)
        #expect(try !store.rate(70, isWatched: true, likes: 1))
        #expect(try store.delete(3))
        #expect(try !store.delete(3))
        #expect(try store.insert(Movie(title: "new", category: "", year: 2000)) == 7)
        #expect(try store.movies(titled: "new").map(\.id) == [7])
    }

    @Test(
        "sealed, a search uses the blind index, and the file contains no title, category or address"
    )
    func sealed() throws {
        let bench = try ModelBench("movies")
        do {
            let store = try filled(bench, version: 2)
            try store.store.blocking.close()
        }
        let store = try bench.open(MovieStore.self)
        #expect(try store.movies(titled: "Casablanca").map(\.coverURL) == ["c"])
        try store.store.blocking.read { connection in
            for column in [Movie.Column.title, .category] {
                let match = try connection.matching(column.rawValue, of: "movies", .equal(.text("Crime")))
                let plan = try connection.query(
                    "EXPLAIN QUERY PLAN SELECT year FROM movies_open WHERE \(match)"
                ) { row in try row[3] as String }
                #expect(plan.contains { $0.contains("\(column.rawValue)_casefold_token=?") })
                #expect(plan.allSatisfy { !$0.hasPrefix("SCAN") }, "\(plan)")
            }
        }
        try store.store.blocking.close()
        let pages = try DecryptedPages(bench.path, bench.keyring.activeDatabaseKey())
        for text in ["Casablanca", "Metropolis", "Romance", "Science", "http://m"] {
            #expect(!pages.contain(Array(text.utf8)), "\(text)")
        }
    }

    @Test(
        "without the keys of the dataset films can be counted, rated and deleted, but not read or written"
    )
    func withoutKeys() throws {
        let bench = try ModelBench("movies")
        try filled(bench, version: 3).store.blocking.close()
        let store = MovieStore(try Store.open(bench.path, rawKey: bench.keyring.activeDatabaseKey()))
        func refused(_ body: () throws -> Void) {
            do {
                try body()
                Issue.record("it was not refused")
            } catch let error as LockstepError {
                #expect(error.code == .keyUnavailable, "\(error)")
            } catch {
                Issue.record("\(error)")
            }
        }
        refused { _ = try store.allByYear() }
        refused { _ = try store.movie(1) }
        refused { _ = try store.movies(titled: "M") }
        refused { _ = try store.movies(inCategory: "Crime") }
        refused { try store.insert(Movie(title: "x", category: "", year: 2000)) }
        refused { _ = try store.exportTSV { _ in } }
        #expect(try store.count() == 6)
        #expect(try store.rate(1, isWatched: true, likes: 2))
        #expect(try store.delete(1))
    }

    @Test("any text is read back unchanged", arguments: [2, 3] as [UInt64])
    func texts(version: UInt64) throws {
        let bench = try ModelBench("movies")
        let store = try bench.open(MovieStore.self, version: version)
        for text in AwkwardTexts.all + [AwkwardTexts.long] {
            let id = try store.insert(Movie(title: text, category: text, year: 2000, movieURL: text, coverURL: text))
            let film = try #require(try store.movie(id))
            for field in [film.title, film.category, film.movieURL, film.coverURL] {
                #expect(AwkwardTexts.areSame(field, text))
            }
            #expect(try store.movies(titled: text).contains { $0.id == id })
            #expect(try store.movies(inCategory: text).contains { $0.id == id })
        }
    }

    @Test(
        "an export can be imported again, whatever it contains, unchanged except TABs and line ends"
    )
    func exported() throws {
        let bench = try ModelBench("movies")
        let store = try bench.open(MovieStore.self)
        let texts = AwkwardTexts.all.filter { !$0.allSatisfy(\.isWhitespace) }
        for text in texts {
            try store.insert(Movie(title: text, category: text, year: 1999, movieURL: text, coverURL: text))
        }
        var bytes: [UInt8] = []
        #expect(try store.exportTSV { bytes += $0 } == texts.count)
        let other = try ModelBench("movies")
        let copy = try other.open(MovieStore.self)
        let report = try copy.importTSV(other.folder.write("films.tsv", bytes))
        #expect(report.imported == texts.count && report.rejected == 0)
        let films = try copy.store.blocking.read { connection in
            try connection.query("SELECT title, movieURL FROM movies_open ORDER BY movieID", as: (String, String).self)
        }
        for (film, text) in zip(films, texts) {
            // The file begins with the first title, so a byte-order mark there counts as one of the file.
            let flat = String(decoding: text.utf8.map { [9, 10, 13].contains($0) ? 32 : $0 }, as: UTF8.self)
            #expect(AwkwardTexts.areSame(film.0, flat), "\(text.debugDescription)")
            #expect(AwkwardTexts.areSame(film.1, flat), "\(text.debugDescription)")
        }
    }
}
