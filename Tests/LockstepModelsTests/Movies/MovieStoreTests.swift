import Lockstep
import LockstepModels
import SystemPackage
import TestSupport
import Testing

@Suite("The catalogue of films")
struct MovieStoreTests: ~Copyable {
    private let bench: ModelBench
    private var folder: TemporaryFolder { bench.folder }

    init() throws { bench = try ModelBench("movies") }

    @Test(
        "A file of films is imported, on every version of the schema",
        arguments: [1, 2, 3] as [UInt64])
    func imports(version: UInt64) throws {
        let store = try bench.open(MovieStore.self, version: version)
        let report = try store.importTSV(
            folder.write(
                "films.tsv", "It's a \"film\"; DROP TABLE movies\tCrime\t1972\thttp://x\tc\r\n" + "七人の侍\t\t1954\t\t\r\n"
            ))
        #expect(report.imported == 2)
        #expect(report.rejections.isEmpty)
        let films = try store.allByYear()
        #expect(films.map(\.title) == ["七人の侍", "It's a \"film\"; DROP TABLE movies"])
        #expect(films.map(\.movieURL) == [nil, "http://x"])
        #expect(films.map(\.category) == ["", "Crime"])
    }

    @Test("Lines that are not films are reported with number and reason, the others imported")
    func rejections() throws {
        let store = try bench.open(MovieStore.self)
        let bytes =
            Array("\u{FEFF}good\tx\t1999\t\t\n".utf8)
            + Array("four\tx\t1999\t\n".utf8) + Array("six\tx\t1999\t\t\t\n".utf8)
            + [0x66, 0xFF] + Array("\tx\t1999\t\t\n".utf8)
            + Array("no year\tx\tsoon\t\t\n\tx\t1999\t\t\n".utf8) + Array("old\tx\t0\t\t\n\nlast\tx\t2001\t\t".utf8)
        let report = try store.importTSV(folder.write("films.tsv", bytes))
        #expect(report.imported == 2)
        #expect(
            report.rejections.map { "\($0.line ?? 0): \($0.reason)" } == [
                "2: it needs 5 or 7 fields and has 4", "3: it needs 5 or 7 fields and has 6",
                "4: it is not valid UTF-8", "5: the year is not a whole number", "6: the title is empty",
                "7: the year is not between 1 and 9999", "8: it needs 5 or 7 fields and has 1",
            ])
        #expect(try store.allByYear().map(\.title) == ["good", "last"])
    }

    @Test("Watched and likes are the sixth and seventh field, and come back from an export") func ratings() throws {
        let store = try bench.open(MovieStore.self)
        let lines =
            "a\tx\t1999\t\t\t1\t3\nb\tx\t1999\t\t\t0\t0\nc\tx\t1999\t\t\t2\t0\nd\tx\t1999\t\t\t0\t4\n"
            + "e\tx\t1999\t\t\t\t\nf\tx\t1999\t\t\n"
        let report = try store.importTSV(folder.write("films.tsv", Array(lines.utf8)))
        #expect(
            report.rejections.map { "\($0.line ?? 0): \($0.reason)" } == [
                "3: watched is neither 0 nor 1", "4: the likes are not a number from 0 to 3",
                "5: watched is neither 0 nor 1",
            ])
        let films = try store.allByYear()
        #expect(films.map(\.title) == ["a", "b", "f"])
        #expect(films.map(\.isWatched) == [true, false, false])
        #expect(films.map(\.likes) == [3, 0, 0])
        var exported: [UInt8] = []
        _ = try store.exportTSV { exported += $0 }
        #expect(String(decoding: exported, as: UTF8.self).hasPrefix("a\tx\t1999\t\t\t1\t3\nb\tx\t1999\t\t\t0\t0\n"))
    }

    @Test("The report stays bounded, its count does not")
    func manyRejections() throws {
        let lines = String(repeating: "x\n", count: ImportReport.maximumRejections + 5)
        let report = try bench.open(MovieStore.self).importTSV(folder.write("films.tsv", lines))
        #expect(report.rejected == ImportReport.maximumRejections + 5)
        #expect(report.rejections.count == ImportReport.maximumRejections)
    }

    @Test(
        "An empty file imports nothing; a missing one, a folder and a database without the set are errors"
    )
    func borders() throws {
        let store = try bench.open(MovieStore.self)
        let empty = try store.importTSV(folder.write("empty.tsv", ""))
        #expect(empty.imported == 0 && !empty.tookNothing)
        let bad = try store.importTSV(folder.write("bad.tsv", "bad\n\n"))
        #expect(bad.rejected == 2 && bad.tookNothing)
        for path in [folder.file("no.tsv"), folder.path] {
            #expect(throws: LockstepError.self) { try store.importTSV(path) }
        }
        let bare = try ModelBench()
        let unmigrated = try bare.open(MovieStore.self, version: 0)
        #expect {
            _ = try unmigrated.importTSV(folder.write("one.tsv", "a\tb\t1999\t\t\n"))
        } throws: { error in
            (error as? LockstepError)?.hint?.contains("run `Migrator`") == true
        }
    }

    @Test(
        "The tutorial's twenty films, and 3,201 lines of another table, are imported",
        .enabled(if: SharedData.has("data/movies.tsv"), "\(SharedData.missing)"))
    func sharedData() throws {
        let store = try bench.open(MovieStore.self)
        #expect(try store.importTSV(SharedData.path("data/movies.tsv")).imported == 20)
        #expect(try store.allByYear().first?.title == "Casablanca")
        // A different number of fields in every line.
        let report = try store.importTSV(SharedData.path("data/films-3201.tsv"))
        #expect(report.imported == 0)
        #expect(report.rejected == 3202)
    }
}
