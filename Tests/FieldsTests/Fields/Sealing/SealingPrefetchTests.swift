import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite(
    "Cells that are made ahead of their rows' turn",
    .enabled(if: Processors.count > 1, "there is one processor, and nothing is made ahead"))
struct SealingPrefetchTests {
    let bench: SealedTableWorkbench

    init() throws { bench = try SealedTableWorkbench(rows: 40) }

    private static let titles = (0..<40).map { SealedTableWorkbench.title($0) }

    /// Seals the title in batches of 7, and returns how many of them were made ahead.
    private func protect(
        _ connection: borrowing Connection, between: () throws -> Void = {}
    ) throws -> Int {
        let change = SealingChange(
            table: "film", column: "title",
            goal: .protect(mode: .random, padding: .none, indexes: [.init(.exact)]), batch: 7)
        let pass = SealingPass(change, bench.keys, connection)
        let ahead = try #require(pass.ahead)
        try connection.with(rights: .engine) {
            _ = try connection.write { try change.begin(bench.keys, $0) }
            var isLast = false
            while !isLast {
                isLast = try connection.write { connection in
                    try change.runBatch(bench.keys, connection, pass).isLast
                }
                ahead.wait()
                try ahead.watch(connection) { try between() }
            }
            ahead.close()
            try change.clean(connection)
            let isDone = try connection.write { try change.finish(bench.keys, $0, pass) }
            #expect(isDone)
        }
        return ahead.taken
    }

    @Test("they are written if nobody else writes, and every value opens")
    func used() throws {
        let connection = try bench.open()
        // 6 batches, of which all but the first can be made ahead.
        #expect(try protect(connection) == 5)
        #expect(try connection.texts("SELECT title FROM film_open ORDER BY id") == Self.titles)
        #expect(try connection.value("SELECT count(title_exact_token) FROM film", as: Int.self) == 40)
        let match = try connection.matching("title", of: "film", .equal(.text(Self.titles[33])))
        #expect(try connection.query("SELECT id FROM film_open WHERE \(match)") { try $0[0] as Int }.count == 1)
    }

    @Test(
        "a write by another connection, or by the program through the same one, while they wait for their turn is never lost",
        arguments: [true, false])
    func overtaken(bySameConnection: Bool) throws {
        let connection = try bench.open()
        let other = try bench.open()
        var (round, expected) = (0, Self.titles)
        func overtake(_ writer: borrowing Connection) throws {
            round += 1
            // A finished row, and rows whose cells are made by then.
            for id in [round, round * 7 + 1, round * 7 + 5] where id <= 40 {
                try writer.write { writer in
                    try writer.execute("UPDATE film_open SET title = ? WHERE id = ?", "round \(round)", id)
                }
                expected[id - 1] = "round \(round)"
            }
        }
        #expect(
            try protect(connection) {
                try bySameConnection ? overtake(connection) : overtake(other)
            } == 5)
        #expect(try connection.texts("SELECT title FROM film_open ORDER BY id") == expected)
    }

    @Test("values that are not UTF-8, numbers and NULL keep their types and bytes")
    func exact() throws {
        let connection = try bench.open()
        try connection.execute("UPDATE film SET note = CAST(x'66ff00' AS TEXT) WHERE id > 20")
        try connection.execute("UPDATE film SET note = id * 1.5 WHERE id % 5 = 0")
        try connection.execute("UPDATE film SET note = x'00' || id WHERE id % 5 = 1")
        try connection.execute("UPDATE film SET note = NULL WHERE id % 5 = 2")
        let look = "SELECT typeof(note) || hex(note) FROM "
        let before = try connection.texts("\(look)film ORDER BY id")
        try connection.protect("note", of: "film", keys: bench.keys, batch: 3)
        #expect(try connection.texts("\(look)film_open ORDER BY id") == before)
        try connection.unprotect("note", of: "film", keys: bench.keys, batch: 3)
        #expect(try connection.texts("\(look)film ORDER BY id") == before)
    }

    @Test(
        "a value that SQL calls equal to the one that was read, and that is another, is not overwritten"
    )
    func equal() throws {
        let connection = try bench.open()
        try connection.execute("ALTER TABLE film ADD COLUMN mark COLLATE NOCASE")
        let marks: [(before: String, after: String)] = [
            ("'mark'", "'MARK'"), ("1", "1.0"), ("0.0", "-0.0"), ("'2.5'", "2.5"), ("x'41'", "'A'"),
        ]
        for (number, mark) in marks.enumerated() {
            try connection.execute("UPDATE film SET mark = \(verbatim: mark.before) WHERE id % 5 = ?", number)
        }
        let intruder = Intruder(at: .made) { [bench] count in
            let other = try bench.open()
            // Past the guards: nothing else writes what is not sealed.
            try other.write { other in
                for (number, mark) in marks.enumerated() {
                    try other.executeWithoutTriggers(
                        SQL(
                            verbatim:
                                "UPDATE film SET mark = \(mark.after) WHERE id % 5 = ?1 AND id BETWEEN ?2 AND ?3"
                        ),
                        [.integer(Int64(number)), .integer(Int64(count * 7 + 1)), .integer(Int64(count * 7 + 7))])
                }
            }
        }
        try intruder.beside {
            _ = try connection.protect("mark", of: "film", keys: bench.keys, batch: 7)
        }
        #expect(intruder.visits >= 5)
        let stored = try connection.query(
            "SELECT id, mark FROM film_open WHERE id BETWEEN 8 AND 40"
        ) {
            (try $0[0] as Int, try $0[1] as Value)
        }
        for (id, value) in stored {
            let isRight =
                switch (id % 5, value) {
                case (0, .text(let text)): text == "MARK"
                case (1, .real(let number)): number == 1
                case (2, .real(let number)): number == 0 && number.sign == .minus
                case (3, .real(let number)): number == 2.5
                case (4, .text(let text)): text == "A"
                default: false
                }
            #expect(isRight, "\(id): \(value)")
        }
    }
}
