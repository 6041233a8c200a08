import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite(
    "Films that the original program wrote",
    .enabled(if: PlainDatabase.isPossible, PlainDatabase.missing))
struct MovieAdoptionTests {
    @Test(
        "are adopted, migrated to the newest version and verified, and every value is found again")
    func adopted() throws {
        let bench = try ModelBench("movies")
        var sql = """
            CREATE TABLE movies (movieID integer primary key autoincrement not null, title text not null, category text not null, year integer not null, movieURL text, coverURL text not null, watched bool not null default 0, likes integer not null);

            """
        for (index, text) in AwkwardTexts.all.enumerated() {
            let text = PlainDatabase.quoted(text)
            sql +=
                "INSERT INTO movies VALUES (\(index + 1), \(text), \(text), \(1900 + index), \(text), \(text), \(index % 2), \(index % 4));\n"
        }
        sql +=
            "INSERT INTO movies VALUES (500, 'gone', '', 1, NULL, '', 0, 0); DELETE FROM movies WHERE movieID = 500;\n"
        let plain = try PlainDatabase.make("movies.sqlite", in: bench.folder, sql)
        try bench.adopt(plain, as: MovieStore.self)
        let films = try bench.open(MovieStore.self)
        for (index, text) in AwkwardTexts.all.enumerated() {
            let film = try #require(try films.movie(Int64(index + 1)))
            #expect(AwkwardTexts.areSame(film.title, text))
            #expect(AwkwardTexts.areSame(film.category, text))
            #expect(AwkwardTexts.areSame(film.coverURL, text))
            #expect(film.year == 1900 + index)
            #expect(film.isWatched == (index % 2 == 1) && film.likes == index % 4)
            // An address of blanks is removed since version 2.
            let address = String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            #expect(AwkwardTexts.areSame(film.movieURL, address.isEmpty ? nil : address))
        }
        #expect(try films.count() == AwkwardTexts.all.count)
        // A key is never reused.
        #expect(try films.insert(Movie(title: "new", category: "", year: 2000)) == 501)
        try films.store.blocking.close()
        let report = try bench.verify()
        #expect(report.isClean, "\(report.outcomes.flatMap(\.findings))")
    }
}
