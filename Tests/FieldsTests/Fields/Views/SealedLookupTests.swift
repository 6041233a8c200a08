import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct SealedLookupTests {
    let bench: SealedTableWorkbench

    init() throws { bench = try SealedTableWorkbench(rows: 40) }

    private func sealed(_ requests: SealedIndex.Request...) throws -> Connection {
        let connection = try bench.open()
        try connection.protect(
            "title", of: "film", keys: bench.keys, indexes: requests, batch: 7)
        return connection
    }

    private func find(
        _ match: SealedMatch, _ connection: borrowing Connection, column: String = "title"
    ) throws -> [Int] {
        let condition = try connection.matching(column, of: "film", match)
        return try connection.query("SELECT id FROM film_open WHERE \(condition) ORDER BY id") {
            try $0[0] as Int
        }
    }

    @Test("a value is found by its token, and the plan says so")
    func equality() throws {
        let connection = try sealed(.init(.exact))
        #expect(try find(.equal(.text("Rear Window")), connection) == [3])
        #expect(try find(.equal(.text("rear window")), connection) == [])
        #expect(try find(.equal(.integer(3)), connection) == [])
        let condition = try connection.matching("title", of: "film", .equal(.text("Metropolis")))
        let plan = try connection.query(
            "EXPLAIN QUERY PLAN SELECT year FROM film_open WHERE \(condition)"
        ) { row in try row[3] as String }
        #expect(plan.contains { $0.contains("title_exact_token=?") }, "\(plan)")
        #expect(plan.allSatisfy { !$0.hasPrefix("SCAN") }, "\(plan)")
    }

    @Test("later values are found, and those they replaced no longer are")
    func writing() throws {
        let connection = try sealed(.init(.exact), .init(.casefold))
        try connection.execute("INSERT INTO film_open (title) VALUES ('Straße')")
        try connection.execute("UPDATE film_open SET title = 'Gilda' WHERE id = 1")
        try connection.execute("DELETE FROM film_open WHERE id = 2")
        #expect(try find(.equal(.text("Casablanca")), connection) == [])
        #expect(try find(.equal(.text("Gilda")), connection) == [1])
        #expect(try find(.equal(.text("The Third Man")), connection) == [])
        #expect(try find(.same(as: .text("STRASSE"), under: .casefold), connection) == [41])
        #expect(try find(.same(as: .text("gILDA"), under: .casefold), connection) == [1])
        // The view has the columns that the table had.
        let columns = try connection.prepare("SELECT * FROM film_open").columnNames
        #expect(columns == ["id", "title", "year", "note"])
    }

    @Test("with tokens so short that most coincide, only the requested value is found") func falsePositives() throws {
        let connection = try sealed(.init(.exact, bits: 1))
        for row in [0, 7, 39] {
            #expect(try find(.equal(.text(SealedTableWorkbench.title(row))), connection) == [row + 1])
        }
        #expect(
            try connection.value(
                "SELECT count(DISTINCT title_exact_token) FROM film", as: Int.self) == 2)
    }

    @Test("beginnings are found by the longest index that they are long enough for")
    func prefixes() throws {
        let connection = try sealed(.init(.prefix(3), mayBeHistogram: true), .init(.prefix(5), mayBeHistogram: true))
        let metropolis = [5] + stride(from: 10, through: 40, by: 5)
        for beginning in ["met", "METR", "Metro", "metropolis"] {
            #expect(try find(.prefix(beginning), connection) == metropolis, "\(beginning)")
        }
        #expect(try find(.prefix("metropolis number 3"), connection) == [35, 40])
        Refusal.expect(.misuse) { _ = try find(.prefix("me"), connection) }
    }

    @Test("numbers in a range are found by their buckets")
    func ranges() throws {
        let connection = try bench.open()
        try connection.protect(
            "year", of: "film", keys: bench.keys, indexes: [.init(.bucket(10), mayBeHistogram: true)])
        func years(_ first: Int64, _ last: Int64) throws -> [Int] {
            try find(.between(first, last), connection, column: "year")
        }
        #expect(try years(1905, 1912) == Array(5...12))
        #expect(try years(1910, 1910) == [10])
        #expect(try years(1941, 2500) == [])
        #expect(try years(5, 4) == [])
        #expect(try years(-100, 1901) == [1])
        Refusal.expect(.misuse) { _ = try years(0, 100_000) }
        Refusal.expect(.misuse) { _ = try years(.min, .max) }
    }

    @Test("an index of 128 bits is unique")
    func unique() throws {
        let connection = try sealed(.init(.casefold, bits: 128))
        Refusal.expect(.constraint) {
            try connection.execute("INSERT INTO film_open (title) VALUES ('METROPOLIS')")
        }
        try connection.execute("INSERT INTO film_open (title) VALUES ('Metropolis II')")
    }

    @Test("two equal values end the sealing of a column that must be unique, and nothing is lost")
    func notUnique() throws {
        let connection = try bench.open()
        try connection.execute("UPDATE film SET title = 'Laura' WHERE id IN (5, 33)")
        Refusal.expect(.constraint) {
            try connection.protect("title", of: "film", keys: bench.keys, indexes: [.init(.exact, bits: 128)])
        }
        #expect(try connection.texts("SELECT title FROM film_open WHERE id = 33") == ["Laura"])
        try connection.execute("UPDATE film_open SET title = 'Laura II' WHERE id = 33")
        try connection.protect("title", of: "film", keys: bench.keys, indexes: [.init(.exact, bits: 128)])
        #expect(try find(.equal(.text("Laura II")), connection) == [33])
    }

    @Test("unsealing removes tokens and index; sealing again makes other tokens")
    func unsealed() throws {
        let connection = try sealed(.init(.exact))
        let sql = "SELECT hex(title_exact_token) FROM film ORDER BY id"
        let before = try connection.texts(sql)
        try connection.unprotect("title", of: "film", keys: bench.keys)
        #expect(try connection.prepare("SELECT * FROM film").columnNames == ["id", "title", "year", "note"])
        Refusal.expect(.misuse) { _ = try find(.equal(.text("Metropolis")), connection) }
        try connection.protect("title", of: "film", keys: bench.keys, indexes: [.init(.exact)])
        #expect(try connection.texts(sql) != before)
        #expect(try find(.equal(.text("Metropolis")), connection) == [5])
    }

    @Test("a lookup that no index answers, or of NULL, is refused")
    func refusals() throws {
        let connection = try sealed(.init(.prefix(3), mayBeHistogram: true))
        Refusal.expect(.misuse) { _ = try find(.equal(.null), connection) }
        Refusal.expect(.misuse) { _ = try find(.equal(.text("ab")), connection) }
        Refusal.expect(.misuse) { _ = try find(.equal(.integer(1)), connection) }
        Refusal.expect(.misuse) { _ = try find(.same(as: .text("a"), under: .lower), connection) }
        Refusal.expect(.misuse) { _ = try find(.between(1, 2), connection) }
        Refusal.expect(.keyUnavailable) {
            _ = try find(.equal(.text("a")), connection, column: "note")
        }
        // A prefix narrows down the rows that are compared as a whole.
        #expect(try find(.equal(.text("Rear Window")), connection) == [3])
        // Values of a type that the rule does not accept could never be found.
        Refusal.expect(.misuse) {
            try connection.execute("INSERT INTO film_open (title) VALUES (7)")
        }
    }

    @Test("without the key an index shows which tokens are equal, and nothing else") func withoutKey() throws {
        do { _ = try sealed(.init(.exact)) }
        let connection = try bench.open([])
        Refusal.expect(.keyUnavailable) { _ = try find(.equal(.text("Metropolis")), connection) }
        let other = try bench.open([CellWorkbench.keys(dataset: [UInt8](repeating: 3, count: 16))])
        Refusal.expect(.keyUnavailable) { _ = try find(.equal(.text("Metropolis")), other) }
    }

    // MARK: Several columns

    private func both(number: UInt32 = 1, bits: Int = 24) throws -> CompoundIndex {
        try CompoundIndex(of: "film", [("title", .casefold), ("year", .exact)], number: number, bits: bits)
    }

    @Test("Rows are found by the token of several columns, which SQL computes", arguments: [24, 1])
    func compound(bits: Int) throws {
        let index = try both(bits: bits)
        do {
            let connection = try bench.open([])
            try connection.execute("ALTER TABLE film ADD COLUMN pair INTEGER")
            try connection.execute("CREATE INDEX film_by_pair ON film (pair)")
        }
        let connection = try sealed()
        try connection.execute("UPDATE film_open SET pair = \(connection.token(of: index))")
        let year: Int = try #require(try connection.value("SELECT year FROM film WHERE id = 3"))
        func find(_ title: String, _ year: Int) throws -> [Int] {
            let values: [Value] = [.text(title), .integer(Int64(year))]
            let found = try connection.matching(index, tokens: "pair", values)
            return try connection.query("SELECT id FROM film_open WHERE \(found)") { try $0[0] }
        }
        // Many rows share a token of one bit.
        #expect(try find("REAR window", year) == [3])
        #expect(try find("rear window", year + 1) == [])
        let other = try connection.value(
            "SELECT \(connection.token(of: index, values: "'REAR window'", "\(year)"))", as: Int64.self)
        #expect(
            try other
                == connection.value("SELECT pair FROM film WHERE id = 3", as: Int64.self))
        if bits > 1 {
            let second = try connection.value(
                "SELECT \(connection.token(of: both(number: 2), values: "'rear window'", "\(year)"))", as: Int64.self)
            #expect(second != other)
        }
        let found = try connection.matching(index, tokens: "pair", [.text("metropolis"), .integer(1927)])
        let plan = try connection.query(
            "EXPLAIN QUERY PLAN SELECT id FROM film_open WHERE \(found)"
        ) {
            try $0[3] as String
        }
        #expect(plan.contains { $0.contains("film_by_pair") }, "\(plan)")
        // A row without one of the values has no token.
        try connection.execute("UPDATE film_open SET year = NULL WHERE id = 3")
        try connection.execute("UPDATE film_open SET pair = \(connection.token(of: index)) WHERE id = 3")
        #expect(try connection.texts("SELECT pair FROM film WHERE id = 3") == [nil])
    }

    @Test(
        "An index of one column, of a column that is not sealed, and other numbers of values are refused"
    )
    func compoundRefusals() throws {
        let connection = try sealed()
        let index = try both()
        Refusal.expect(.misuse) { _ = try CompoundIndex(of: "film", [("title", .exact)]) }
        Refusal.expect(.misuse) { _ = try both(bits: 77) }
        Refusal.expect(.misuse) { _ = try both(number: 0) }
        Refusal.expect(.misuse) { _ = try connection.token(of: index, values: "1") }
        Refusal.expect(.misuse) {
            _ = try connection.matching(index, tokens: "pair", [.text("a"), .null])
        }
        Refusal.expect(.misuse) { _ = try connection.matching(index, tokens: "pair", [.text("a")]) }
        let other = try CompoundIndex(of: "film", [("year", .exact), ("title", .exact)])
        Refusal.expect(.keyUnavailable) { _ = try connection.token(of: other) }
        let capability = try connection.capability(of: "title", in: "film")
        Refusal.expect(.misuse) {
            _ = try connection.value("SELECT lockstep_compound(\(capability), 5, 1, 2)", as: Int.self)
        }
        Refusal.expect(.denied) {
            _ = try connection.value("SELECT lockstep_compound(1, 0, 1, 2)", as: Int.self)
        }
    }
}
