import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What an index would show, reported before it is made.
struct IndexExposureTests {
    let bench: SealedTableWorkbench

    init() throws { bench = try SealedTableWorkbench(rows: 400) }

    @Test(
        "an index of so few values that their frequencies identify them is refused, and nothing happens"
    )
    func histogram() throws {
        let connection = try bench.open()
        // 20 of 400 are the limit: √R.
        try connection.execute("UPDATE film SET note = 'genre ' || (id % 20)")
        for request in [SealedIndex.Request(.exact), .init(.casefold, bits: 3)] {
            do {
                try connection.protect("note", of: "film", keys: bench.keys, indexes: [.init(.prefix(8)), request])
                Issue.record("it was made")
            } catch let error as LockstepError {
                #expect(error.code == .misuse)
                #expect(error.message.contains("film.note"))
                #expect(!error.message.contains("genre"))
                #expect(error.hint?.contains("histogram=accepted") == true)
            }
        }
        #expect(try connection.value("SELECT typeof(note) FROM film LIMIT 1") == "text")
        #expect(
            try connection.prepare("SELECT * FROM film").columnNames
                == ["id", "title", "year", "note"])
    }

    @Test(
        "it is made if that is accepted, if there is one value more, or if there are too few rows to say"
    )
    func accepted() throws {
        let connection = try bench.open()
        try connection.execute("UPDATE film SET note = 'genre ' || (id % 20)")
        try connection.protect(
            "note", of: "film", keys: bench.keys, indexes: [.init(.casefold, bits: 8, mayBeHistogram: true)])
        let match = try connection.matching("note", of: "film", .equal(.text("genre 3")))
        #expect(try connection.query("SELECT id FROM film_open WHERE \(match)") { try $0[0] as Int }.count == 20)
        // As requested, whether that is acceptable or not.
        try connection.protect("note", of: "film", keys: bench.keys, indexes: [.init(.casefold, bits: 8)])
        try connection.unprotect("note", of: "film", keys: bench.keys)
        try connection.execute("UPDATE film SET note = 'genre ' || (id % 21)")
        try connection.protect("note", of: "film", keys: bench.keys, indexes: [.init(.casefold, bits: 8)])
        let few = try SealedTableWorkbench(rows: 7)
        let other = try few.open()
        try other.execute("UPDATE film SET note = 'one'")
        try other.protect("note", of: "film", keys: few.keys, indexes: [.init(.exact)])
    }

    @Test(
        "a plan says for each index what it would show",
        arguments: [(5, "in common"), (40, "prove equal values"), (1, "for nothing")])
    func reported(bits: Int, words: String) throws {
        let connection = try bench.open()
        let shape = try #require(try SealedTable("film", connection))
        let exposure = try IndexExposure.of(.init(.exact, bits: bits), "title", shape, connection)
        let summary = exposure.summary("film.title", among: [exposure])
        #expect(summary?.contains(words) == true, "\(exposure)")
    }

    @Test("two indexes that reveal little alone are reported as revealing if they do together") func together() throws {
        let connection = try bench.open()
        let shape = try #require(try SealedTable("film", connection))
        let exposures = [
            try IndexExposure.of(.init(.exact, bits: 5), "title", shape, connection),
            try IndexExposure.of(.init(.casefold, bits: 5), "title", shape, connection),
        ]
        for exposure in exposures {
            let alone = try #require(exposure.summary("film.title", among: [exposure]))
            #expect(alone.contains("equal tokens prove nothing"))
            let together = try #require(exposure.summary("film.title", among: exposures))
            #expect(together.contains("prove equal values"))
        }
    }
}
