import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("Films, against a model")
struct MovieModelTests {
    private static let texts = [
        "Casablanca", "O'Brien's", "e\u{301}", "\u{E9}", "👩‍👩‍👧", "a\0b", "'; DROP TABLE movies;--", "M",
    ]

    private var random = ModelSeed.random()
    private var model: [Int64: Movie] = [:]
    private var last: Int64 = 0

    private mutating func text() -> String { Self.texts.randomElement(using: &random) ?? "" }

    private mutating func film() -> Movie {
        Movie(
            title: text(), category: text(), year: Int.random(in: 1900...1920, using: &random),
            movieURL: Bool.random(using: &random) ? text() : nil, coverURL: text(),
            isWatched: Bool.random(using: &random), likes: Int.random(in: 0...3, using: &random))
    }

    private mutating func key() -> Int64 { ModelSeed.key(of: model, upTo: last, &random) }

    @Test(
        "Ten thousand random calls on an encrypted file, killed and reopened in between, give the expected content"
    )
    mutating func random10000() throws {
        var bench = try ModelBench("movies")
        // A kill leaves the same files; only a power failure would make a difference.
        bench.options.connection.synchronous = .normal
        var films = try bench.open(MovieStore.self)
        for number in 1...10_000 {
            try step(films)
            if number.isMultiple(of: 1000) {
                let copy = try LiveCopy.make(of: films.store.path, in: bench.folder, "after-\(number).db")
                try films.store.blocking.close()
                films = try bench.open(MovieStore.self, at: copy)
                let all = try films.allByYear()
                #expect(all.count == model.count, "after \(number)")
                for film in all { #expect(isSame(film, model[film.id])) }
            }
        }
    }

    private mutating func step(_ films: MovieStore) throws {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<25 where model.count < 100:
            var film = film()
            film.id = try films.insert(film)
            #expect(film.id > last)
            last = film.id
            model[film.id] = film
        case 0..<45:
            let id = key()
            let (isWatched, likes) = (Bool.random(using: &random), Int.random(in: 0...3, using: &random))
            #expect(
                try films.rate(id, isWatched: isWatched, likes: likes) == (model[id] != nil))
            model[id]?.isWatched = isWatched
            model[id]?.likes = likes
        case 45..<60:
            let id = key()
            #expect(try films.delete(id) == (model.removeValue(forKey: id) != nil))
        case 60..<70:
            let title = text()
            let found = try films.movies(titled: title).map(\.id)
            let expected = model.values.filter { AwkwardTexts.areSame($0.title, title) }
            #expect(found.sorted() == expected.map(\.id).sorted())
        case 70..<80:
            let (category, year) = (text(), Int.random(in: 1899...1920, using: &random))
            let found = try films.movies(inCategory: category, after: year)
            let expected = model.values.filter {
                AwkwardTexts.areSame($0.category, category) && $0.year > year
            }
            #expect(found.map(\.id).sorted() == expected.map(\.id).sorted())
            #expect(zip(found, found.dropFirst()).allSatisfy { $0.id > $1.id })
        default:
            let id = key()
            let film = try films.movie(id)
            #expect((film == nil) == (model[id] == nil))
            if let film { #expect(isSame(film, model[id])) }
        }
    }

    private func isSame(_ one: Movie, _ other: Movie?) -> Bool {
        guard let other else { return false }
        return AwkwardTexts.areSame(one.title, other.title) && AwkwardTexts.areSame(one.category, other.category)
            && AwkwardTexts.areSame(one.movieURL, other.movieURL) && AwkwardTexts.areSame(one.coverURL, other.coverURL)
            && one.id == other.id && one.year == other.year && one.isWatched == other.isWatched
            && one.likes == other.likes
    }
}
