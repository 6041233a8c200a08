import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Objects that an adoption leaves out by name.
@Suite("Adoption: objects that are left out")
struct AdoptionWithoutTests {
    private let scratch: CopyScratch

    init() throws {
        scratch = try CopyScratch()
        try scratch.makePlaintext(
            """
            CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT);
            CREATE INDEX film_title ON film (title);
            CREATE TRIGGER film_new AFTER INSERT ON film BEGIN SELECT 1; END;
            CREATE VIEW names AS SELECT title FROM film;
            CREATE TRIGGER names_new INSTEAD OF INSERT ON names BEGIN SELECT 1; END;
            CREATE VIRTUAL TABLE box USING rtree (id, low, high);
            CREATE VIRTUAL TABLE box_b USING rtree (id, low, high);
            INSERT INTO film VALUES (1, 'Metropolis');
            INSERT INTO box VALUES (1, 2, 3);
            INSERT INTO box_b VALUES (1, 2, 3);
            """)
    }

    private func adopt(without names: String...) throws -> (report: AdoptionReport, left: [String]) {
        var adoption = Adoption(of: scratch.old.path, into: scratch.new.path)
        adoption.leavesOut = names
        let report = try adoption.run(key: scratch.new.key())
        let connection = try scratch.new.open()
        let left = try connection.query("SELECT name FROM sqlite_schema ORDER BY name", as: String.self)
        return (report, left.filter { !$0.hasPrefix("lockstep") })
    }

    @Test("An index, a trigger and a view with its triggers, in any case") func objects() throws {
        let (report, left) = try adopt(without: "FILM_TITLE", "film_new", "names")
        #expect(report.leftOut == ["film_title", "film_new", "names", "names_new"])
        #expect(!left.contains { ["film_title", "film_new", "names", "names_new"].contains($0) })
        #expect(left.contains("film") && left.contains("box_node") && report.copy.rows["film"] == 1)
    }

    @Test("A table goes with its indexes and triggers") func table() throws {
        let (report, left) = try adopt(without: "film")
        #expect(report.leftOut == ["film", "film_title", "film_new"])
        #expect(report.copy.rows["film"] == nil && left.contains("names"))
    }

    @Test("A virtual table goes with what stores it, and with nothing of another") func virtual() throws {
        let (_, left) = try adopt(without: "box")
        #expect(
            left.filter { $0.hasPrefix("box") } == ["box_b", "box_b_node", "box_b_parent", "box_b_rowid"])
        #expect(try scratch.new.open().value("SELECT count(*) FROM box_b", as: Int.self) == 1)
    }

    @Test("A name that the file does not have is refused") func unknown() throws {
        let error = #expect(throws: LockstepError.self) { try adopt(without: "films") }
        #expect(error?.message.contains("no table, index, view or trigger films") == true)
        #expect(try scratch.new.names.isEmpty)
    }
}
