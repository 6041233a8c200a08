import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct ProtectionTests {
    let bench: SealedTableWorkbench

    init() throws { bench = try SealedTableWorkbench(rows: 37) }

    /// Whether any page of the file, free or not, or of its log contains `text`.
    private func shows(_ text: String) throws -> Bool {
        let pages = try DecryptedPages(bench.path, bench.databaseKey())
        return pages.contain(Array(text.utf8))
    }

    @Test("at its end no page and no log contains the old values")
    func gone() throws {
        let connection = try bench.open()
        try connection.execute("UPDATE film SET title = 'Metropolis at first' WHERE id = 5")
        try connection.execute("UPDATE film SET title = 'Metropolis' WHERE id = 5")
        #expect(try shows("Casablanca"))
        try connection.protect("title", of: "film", keys: bench.keys, batch: 10)
        for text in ["Casablanca", "Rear Window number 22", "Metropolis", "placeholder"] {
            #expect(try !shows(text), "\(text)")
        }
        // Control: another column's values can still be found.
        #expect(try shows("note 1"))
        #expect(try connection.texts("SELECT title FROM film_open WHERE id = 5") == ["Metropolis"])
    }

    @Test("if another program ends it between two batches, nothing is left to do") func endedByAnother() throws {
        let connection = try bench.open()
        let other = try bench.open()
        let all = (0..<37).map { SealedTableWorkbench.title($0) }
        var isEnded = false
        try connection.protect("title", of: "film", keys: bench.keys, batch: 10) { _ in
            if !isEnded { try other.protect("title", of: "film", keys: bench.keys) }
            isEnded = true
        }
        #expect(try connection.texts("SELECT title FROM film_open ORDER BY id") == all)
        isEnded = false
        try connection.unprotect("title", of: "film", keys: bench.keys, batch: 10) { _ in
            if !isEnded { try other.unprotect("title", of: "film", keys: bench.keys) }
            isEnded = true
        }
        #expect(try connection.texts("SELECT title FROM film ORDER BY id") == all)
    }

    @Test(
        "another program that reverses it between two batches is reported, and nothing is mixed")
    func turnedBack() throws {
        let connection = try bench.open()
        let other = try bench.open()
        let all = (0..<37).map { SealedTableWorkbench.title($0) }
        Refusal.expect(.busy) {
            try connection.protect("title", of: "film", keys: bench.keys, batch: 10) { _ in
                // Stopped between its own batches, too.
                #expect(throws: Stop.self) {
                    try other.unprotect("title", of: "film", keys: bench.keys, batch: 10) { _ in
                        throw Stop()
                    }
                }
            }
        }
        try other.unprotect("title", of: "film", keys: bench.keys)
        #expect(try connection.texts("SELECT title FROM film ORDER BY id") == all)
    }

    @Test(
        "stopped after any batch, others keep reading and writing, and the next run ends it",
        arguments: 1...4)
    func resumed(stop: Int) throws {
        let connection = try bench.open()
        let other = try bench.open()
        var batches = 0
        #expect(throws: Stop.self) {
            try connection.protect("title", of: "film", keys: bench.keys, batch: 10) { _ in
                batches += 1
                if batches == stop { throw Stop() }
            }
        }
        let all = (0..<37).map { SealedTableWorkbench.title($0) }
        let seen = try other.read { other in
            try other.texts("SELECT title FROM film_open ORDER BY id")
        }
        #expect(seen == all)
        try other.write { other in
            try other.execute("UPDATE film_open SET title = 'Laura' WHERE id IN (1, 36)")
            try other.execute("INSERT INTO film_open (id, title) VALUES (100, 'Gilda')")
        }
        Refusal.expect(.constraint) {
            try other.execute("UPDATE film SET title = 'x' WHERE id = 36")
        }
        var progress: [JobProgress] = []
        let report = try connection.protect(
            "title", of: "film", keys: bench.keys, batch: 10
        ) { progress.append($0) }
        #expect(report.rows == progress.last?.done && progress.last?.hasEnded == true)
        #expect(progress.allSatisfy { $0.phase == .sealing.of("film.title") && $0.unit == .rows })
        #expect(progress.last?.done == progress.last?.total)
        #expect(progress.last?.done == max(38 - stop * 10, 1))
        let expected = ["Laura"] + all[1..<35] + ["Laura", all[36], "Gilda"]
        #expect(try connection.texts("SELECT title FROM film_open ORDER BY id") == expected)
        #expect(try connection.value("SELECT count(*) FROM film WHERE typeof(title) <> 'blob'", as: Int.self) == 0)
        try connection.unprotect("title", of: "film", keys: bench.keys, batch: 7)
        #expect(try connection.texts("SELECT title FROM film ORDER BY id") == expected)
        #expect(try connection.value("SELECT count(*) FROM sqlite_schema WHERE type = 'trigger'", as: Int.self) == 0)
        try connection.execute("UPDATE film SET title = 'plain' WHERE id = 1")
    }

    @Test("tables with no row, one, a batch, and one more", arguments: [0, 1, 10, 11])
    func sizes(rows: Int) throws {
        let bench = try SealedTableWorkbench(rows: rows)
        let connection = try bench.open()
        let before = try connection.texts("SELECT title FROM film ORDER BY id")
        #expect(before.count == rows)
        try connection.protect("title", of: "film", keys: bench.keys, batch: 10)
        #expect(try connection.texts("SELECT title FROM film_open ORDER BY id") == before)
        // Twice is the same as once.
        try connection.protect("title", of: "film", keys: bench.keys, batch: 10)
        try connection.unprotect("title", of: "film", keys: bench.keys, batch: 10)
        #expect(try connection.texts("SELECT title FROM film ORDER BY id") == before)
        try connection.unprotect("title", of: "film", keys: bench.keys)
        #expect(try connection.texts("SELECT title FROM film ORDER BY id") == before)
        // And again, under a new number.
        try connection.protect("title", of: "film", keys: bench.keys, batch: 10)
        #expect(try connection.texts("SELECT title FROM film_open ORDER BY id") == before)
    }

    @Test(
        "after a rotation, old cells open, new ones are under the new key, and a bulk run moves the rest"
    )
    func resealing() throws {
        do { _ = try bench.sealed() }
        let newer = try CellWorkbench.keys(active: 4, retired: [3])
        let connection = try bench.open([newer])
        func versions() throws -> [String] {
            try connection.query(
                "SELECT hex(substr(title, 2, 4)), count(*) FROM film GROUP BY 1 ORDER BY 1", as: (String, Int).self
            ).map { "\($0.0) \($0.1)" }
        }
        try connection.execute("UPDATE film_open SET title = 'Laura' WHERE id = 1")
        #expect(try versions() == ["00000003 36", "00000004 1"])
        #expect(throws: Stop.self) {
            try connection.reseal("title", of: "film", keys: newer, batch: 10) { _ in throw Stop() }
        }
        try connection.reseal("title", of: "film", keys: newer, batch: 10)
        #expect(try versions() == ["00000004 37"])
        let expected = ["Laura"] + (1..<37).map { SealedTableWorkbench.title($0) }
        #expect(try connection.texts("SELECT title FROM film_open ORDER BY id") == expected)
        // The old keyring does not open cells under a key that it never had.
        Refusal.expect(.keyUnavailable) { _ = try bench.open() }
    }

    @Test(
        "anything that would leak the values or break is refused, and nothing changes",
        arguments: [
            ("CREATE INDEX i ON film (title)", "title", "index i"),
            ("CREATE INDEX i ON film (year) WHERE title > 'a'", "title", "index i"),
            ("CREATE INDEX i ON film (lower(\"Title\"))", "title", "index i"),
            (
                "CREATE TRIGGER t AFTER UPDATE ON film BEGIN SELECT NEW.title; END", "title",
                "trigger t"
            ),
            ("CREATE TABLE u (id INTEGER PRIMARY KEY, x UNIQUE)", "u.x", "unique"),
            ("CREATE TABLE u (id INTEGER PRIMARY KEY, x CHECK (length([X]) > 1))", "u.x", "CHECK"),
            ("CREATE TABLE u (id INTEGER PRIMARY KEY, x, y AS (x + 1))", "u.x", "generated"),
            ("CREATE TABLE u (id INTEGER PRIMARY KEY, x, y AS (id + 1))", "u.y", "computed"),
            ("CREATE TABLE u (id INTEGER PRIMARY KEY, x TEXT) STRICT", "u.x", "STRICT"),
            ("CREATE TABLE u (x PRIMARY KEY, y)", "u.y", "primary key"),
            ("CREATE TABLE u (x, y)", "u.y", "primary key"),
            ("CREATE TABLE u (id INTEGER PRIMARY KEY, x REFERENCES film)", "u.x", "foreign key"),
            ("CREATE TABLE u (id INTEGER PRIMARY KEY, x)", "u.id", "primary key"),
            ("CREATE TABLE u (id INTEGER PRIMARY KEY, x)", "u.z", "no column"),
            ("CREATE TABLE u (id INTEGER PRIMARY KEY, x)", "v.z", "no table"),
        ])
    func refusals(sql: String, column: String, word: String) throws {
        let connection = try bench.open()
        try connection.execute(SQL(verbatim: sql))
        let parts = column.split(separator: ".").map(String.init)
        let schema = try connection.texts("SELECT sql FROM sqlite_schema ORDER BY name")
        do {
            try connection.protect(parts[parts.count - 1], of: parts.count == 2 ? parts[0] : "film", keys: bench.keys)
            Issue.record("nothing was refused")
        } catch let error as LockstepError {
            #expect(error.code == .misuse)
            #expect(error.message.contains(word), "\(error)")
            #expect(error.hint != nil)
        }
        #expect(try connection.texts("SELECT sql FROM sqlite_schema ORDER BY name") == schema)
    }

    @Test(
        "a reader that keeps the old log stops it before the end, and it continues when the reader is gone"
    )
    func reader() throws {
        let connection = try bench.open()
        let reader = try bench.open()
        connection.setBusyTimeout(10)
        let sql = "SELECT title FROM film WHERE id = 1"
        let seen = try reader.read { reader in
            let before = try reader.texts(sql)
            Refusal.expect(.busy) {
                try connection.protect("title", of: "film", keys: bench.keys, batch: 10)
            }
            return try before + reader.texts(sql)
        }
        #expect(seen == ["Casablanca", "Casablanca"])
        try connection.protect("title", of: "film", keys: bench.keys, batch: 10)
        #expect(try !shows("Casablanca"))
        #expect(try connection.texts("SELECT title FROM film_open WHERE id = 1") == ["Casablanca"])
    }

    @Test("the keyring of another dataset seals nothing, and its own columns stay separate") func twoDatasets() throws {
        let other = try CellWorkbench.keys(dataset: [UInt8](repeating: 1, count: 16))
        let connection = try bench.open([bench.keys, other])
        try connection.protect("title", of: "film", keys: bench.keys)
        try connection.protect("note", of: "film", keys: other)
        #expect(
            try connection.texts("SELECT title || note FROM film_open WHERE id = 1")
                == ["Casablancanote 1"])
        let half = try bench.open([other])
        Refusal.expect(.misuse) { try half.unprotect("title", of: "film", keys: other) }
        #expect(try half.texts("SELECT note FROM film_open WHERE id = 1") == ["note 1"])
        #expect(try half.texts("SELECT typeof(title) FROM film_open WHERE id = 1") == ["blob"])
    }
}
