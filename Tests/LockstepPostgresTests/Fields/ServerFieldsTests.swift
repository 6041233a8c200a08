import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Sealed columns on servers", .withServer)
struct ServerFieldsTests {
    @Test("A row is sealed on the way, and opens again; the server has cells and tokens alone")
    func insertAndRead() throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        let cover = [UInt8](repeating: 7, count: 300)
        let key = try server.insert(
            "films",
            ["title": .text("Casablanca"), "year": .integer(1942), "cover": .blob(cover), "label": .integer(5)])
        let second = try server.insert("Films", ["TITLE": .text("casablanca")])
        #expect(key == [.integer(1)])
        #expect(second == [.integer(2)])
        let rows = try server.query(
            "SELECT id, title, year, cover, label FROM films ORDER BY id"
        ) {
            (try $0[0] as Int, try $0[1] as String, try $0[2] as Int?, $0)
        }
        #expect(rows[0].1 == "Casablanca")
        #expect(rows[0].2 == 1942)
        #expect(try rows[0].3[3] as [UInt8] == cover)
        #expect(try rows[0].3.value(4) == .integer(5))
        #expect(try rows[1].3[3] as [UInt8]? == nil)
        #expect(rows[1].1 == "casablanca")

        let operated = try scratch.operate().query(
            "SELECT title, title_casefold_token, title_exact_token FROM films ORDER BY id"
        ) { (try $0[0] as [UInt8], try $0[1] as Int64, try $0[2] as [UInt8]) }
        #expect(operated[0].1 == operated[1].1)
        #expect(operated[0].2 != operated[1].2)
        #expect(operated[0].0.count == operated[1].0.count)
        #expect(!String(decoding: operated[0].0, as: UTF8.self).contains("asablanca"))
    }

    @Test(
        "Many rows go in at once, with keys of their own or of the sequence, and are updated one by one"
    )
    func manyRows() throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        let rows = (0..<700).map { [Value.text("film \($0)"), .integer(Int64($0))] }
        let keys = try server.insert("films", ["title", "year"], rows)
        #expect(Set(keys).count == 700)
        try server.insert("films", ["id", "title"], [[.integer(-1), .text("a")], [.integer(-2), .null]])
        #expect(try server.update("films", key: [.integer(-2)], ["title": .text("b"), "year": .integer(7)]))
        #expect(try !server.update("films", key: [.integer(-3)], ["title": .text("b")]))
        let read = try server.query("SELECT id, title, year FROM films ORDER BY id") {
            (try $0[0] as Int, try $0[1] as String?, try $0[2] as Int?)
        }
        #expect(read.count == 702)
        #expect(read[0] == (-2, "b", 7))
        #expect(read[2].1 == "film 0")
        #expect(read[701].1 == "film 699")
    }

    @Test(
        "Look-ups find by token, leave out rows that only share it, and reach the server without the value"
    )
    func lookups() throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        try server.insert(
            "films", ["title"], ["Alien", "ALIEN", "Brazil"].map { [.text($0)] })
        // Another film gets the token of Alien: as if by chance.
        try scratch.operate().execute(
            "UPDATE films SET title_casefold_token = (SELECT title_casefold_token FROM films WHERE id = 1)")
        func find(_ sql: ServerSQL) throws -> [Int] {
            try server.query(sql) { try $0[0] as Int }
        }
        let title = Value.text("alien")
        #expect(
            try find(
                "SELECT id, title FROM films WHERE \(sealed: "films.title", equals: title, under: .casefold) ORDER BY id"
            ) == [1, 2])
        #expect(
            try find(
                "SELECT f.id, f.title FROM films AS f WHERE f.id < \(2) AND \(sealed: "films.title", equals: title, under: .casefold, as: "f")"
            ) == [1])
        #expect(
            try find(
                "SELECT id, title FROM films WHERE \(sealed: "films.title", equals: .text("ALIEN"))"
            )
                == [2])
        #expect(
            try find(
                "SELECT id, title FROM films WHERE \(sealed: "films.title", equals: .text("none"))"
            )
            .isEmpty)
        for sql: ServerSQL in [
            "SELECT id, title FROM films WHERE id = 1 OR \(sealed: "films.title", equals: title)",
            "SELECT id, title FROM films WHERE \(sealed: "films.title", equals: title) LIMIT 1",
            "SELECT id, title FROM films WHERE id IN (SELECT id FROM films WHERE \(sealed: "films.title", equals: title))",
            "SELECT id FROM films WHERE \(sealed: "films.title", equals: title)",
            "SELECT count(*) FROM films WHERE \(sealed: "films.title", equals: title)",
            "SELECT id, cover FROM films WHERE \(sealed: "films.cover", equals: title)",
            "SELECT id, title FROM films WHERE \(sealed: "films.year", equals: .integer(1))",
            "SELECT id, title FROM films WHERE \(sealed: "films.title", equals: .null)",
            "SELECT id, title FROM films WHERE \(sealed: "films.title", equals: title, under: .email)",
        ] {
            refused(.misuse) { _ = try find(sql) }
        }
        refused(.keyUnavailable) {
            try scratch.operate().execute("SELECT id, title FROM films WHERE \(sealed: "films.title", equals: title)")
        }
    }

    @Test("A sealed column opens with its row's key alone, and no cell is ever a value")
    func keysAndExpressions() throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        try server.insert("films", ["title"], ["Alien", "Brazil"].map { [.text($0)] })
        try server.execute("CREATE VIEW names AS SELECT id, title FROM films")
        let without = refused(.misuse) {
            _ = try server.query("SELECT title FROM films") { _ in }
        }
        #expect(without?.hint?.contains("films.id") == true)
        for sql: ServerSQL in [
            "SELECT id, title || ''::bytea FROM films",
            "SELECT id, coalesce(title, cover) FROM films", "SELECT a.id, b.id, a.title FROM films AS a, films AS b",
        ] {
            let error = refused(.misuse) { _ = try server.query(sql) { _ in } }
            #expect(error?.hint?.contains("select") == true)
        }
        let joined = try server.query(
            "SELECT x.n, f.title AS t, f.id FROM (SELECT 2 AS n) AS x JOIN films AS f ON f.id = x.n"
        ) { try $0[1] as String }
        #expect(joined == ["Brazil"])
        let returned = try server.query(
            "DELETE FROM films WHERE id = 1 RETURNING title, id"
        ) { try $0[0] as String }
        #expect(returned == ["Alien"])
    }

    @Test("What a writer of the server changes is an error, and never a value")
    func tampering() throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        let operated = try scratch.operate()
        try server.insert(
            "films", ["title", "cover", "label"],
            [[.text("a"), .text("x"), .text("y")], [.text("b"), .text("z"), .text("y")]])
        func read(_ column: String) throws {
            _ = try server.query("SELECT id, \(name: column) FROM films") { _ in }
        }
        // Every cell in place of every other one.
        try operated.execute(
            "ALTER TABLE films DROP CONSTRAINT lockstep_films_title_cell, DROP CONSTRAINT lockstep_films_cover_cell, DROP CONSTRAINT lockstep_films_label_cell"
        )
        for (place, stranger, code) in [
            ("title", "(SELECT title FROM films WHERE id = 2)", LockstepError.Code.cellForged),
            ("title", "cover", .cellForged), ("title", "label", .cellMalformed),
            ("label", "title", .cellMalformed), ("cover", "title", .cellForged),
            ("title", "'plain'::bytea", .cellMalformed), ("title", "''::bytea", .cellMalformed),
            ("title", "set_byte(title, 40, get_byte(title, 40) # 1)", .cellForged),
            ("title", "set_byte(title, 4, get_byte(title, 4) # 2)", .keyUnavailable),
            ("title", "substring(title, 1, octet_length(title) - 1)", .cellForged),
        ] {
            try operated.execute("BEGIN")
            try operated.execute(ServerSQL(verbatim: "UPDATE films SET \(place) = \(stranger) WHERE id = 1"))
            try operated.execute("COMMIT")
            refused(code) { try read(place) }
            try server.update(
                "films", key: [.integer(1)], ["title": .text("a"), "cover": .text("x"), "label": .text("y")])
        }
        try read("title")
        // Another key for a row.
        try operated.execute("DROP TRIGGER lockstep_films_key ON films")
        try operated.execute("UPDATE films SET id = 9 WHERE id = 1")
        refused(.cellForged) { try read("title") }
    }

    @Test("The shape of cells and the key of rows are guarded against accidents")
    func guards() throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        try server.insert("films", ["title"], [[.text("a")]])
        refused(.constraint) {
            try server.execute("INSERT INTO films (title) VALUES ('Casablanca'::bytea)")
        }
        refused(.constraint) {
            try server.execute("UPDATE films SET label = '\\x'::bytea")
        }
        let error = refused(.sqlFailed) { try server.execute("UPDATE films SET id = 5") }
        #expect(error?.message.contains("sealed to their primary key") == true)
        try server.execute("UPDATE films SET id = id")
        refused(.misuse) {
            try server.update("films", key: [.integer(1)], ["id": .integer(2)])
        }
        refused(.misuse) { try server.insert("films", ["title_casefold_token": .integer(2)]) }
        refused(.misuse) { try server.insert("films", ["titel": .text("x")]) }
        refused(.misuse) { try server.insert("other", ["x": .text("x")]) }
        refused(.typeMismatch) { try server.insert("films", ["year": .text("1942")]) }
        refused(.typeMismatch) {
            try server.insert("films", ["id": .text("5"), "title": .text("x")])
        }
    }

    @Test("Keys of texts, uuids and several columns bind cells as those of files do") func otherKeys() throws {
        let scratch = try SealedScratch(
            table: """
                CREATE TABLE films (place uuid, id text COLLATE "C", title text, year integer, cover bytea, label text,
                    PRIMARY KEY (id, place))
                """)
        let server = try scratch.connection()
        let uuid = [UInt8](0..<16)
        let key = try server.insert("films", ["id": .text("é"), "place": .blob(uuid), "title": .text("a")])
        #expect(key == [.text("é"), .blob(uuid)])
        #expect(try server.update("films", key: key, ["cover": .real(0.5)]))
        let read = try server.query("SELECT cover, place, title, id FROM films") {
            (try $0[0] as Double, try $0[2] as String)
        }
        #expect(read[0] == (0.5, "a"))
        refused(.misuse) {
            try server.insert("films", ["id": .text("b"), "title": .text("a")])
        }
    }
}
