import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("Prepared look-ups on servers", .withServer)
struct PreparedLookupTests {
    private static let exact: ServerSQL = "SELECT id, title FROM films WHERE \(sealed: "films.title")"

    private func find(
        _ statement: ServerStatement, _ values: any ServerEncodable...
    ) throws -> [String] {
        try values.flatMap { value in
            try statement.query(value) { try $0[1] as String }
        }
    }

    @Test(
        "They find what others find, in and outside a transaction, and leave out what only shares a token"
    )
    func finding() throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        try server.insert("films", ["title"], ["Alien", "ALIEN", "Brazil"].map { [.text($0)] })
        try scratch.operate().execute(
            "UPDATE films SET title_casefold_token = (SELECT title_casefold_token FROM films WHERE id = 1)")
        let exact = try server.prepare(Self.exact)
        let folded = try server.prepare(
            "SELECT f.id, f.title FROM films AS f WHERE \(sealed: "films.title", under: .casefold, as: "f") AND f.id < $2::int8 ORDER BY f.id"
        )
        func findAll() throws {
            #expect(
                try find(exact, "Alien", Value.text("ALIEN"), "none") == ["Alien", "ALIEN"])
            // No cell of another type has the token.
            #expect(try find(exact, 5, [UInt8]([1]), 2.5).isEmpty)
            #expect(
                try folded.query("alien", 9) { try $0[1] as String } == ["Alien", "ALIEN"])
            #expect(try folded.query("alien", 2) { try $0[1] as String } == ["Alien"])
        }
        try findAll()
        try server.transaction { _ in
            try findAll()
            try findAll()
        }
        try findAll()
        #expect(throws: (any Error).self) {
            _ = try folded.query("alien", "no number") { _ in }
        }
        try findAll()
    }

    @Test("What cannot stand in them is refused when they are prepared, or when they run") func refusals() throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        for sql: ServerSQL in [
            "SELECT id, title FROM films WHERE id = 1 OR \(sealed: "films.title")",
            "SELECT id, title FROM films WHERE \(sealed: "films.title") LIMIT 1",
            "SELECT id, cover FROM films WHERE \(sealed: "films.cover")",
            "SELECT id, title FROM films WHERE \(sealed: "films.year")",
            "SELECT id, title FROM films WHERE \(sealed: "films.title", under: .email)",
            "SELECT id, title FROM films WHERE \(sealed: "films.title") AND id = \(1)",
            "SELECT id, title FROM films WHERE \(sealed: "films.title", equals: .text("a"))",
        ] {
            refused(.misuse) { _ = try server.prepare(sql) }
        }
        refused(.keyUnavailable) { _ = try scratch.operate().prepare(Self.exact) }
        refused(.misuse) { _ = try server.query(Self.exact) { _ in } }
        let exact = try server.prepare(Self.exact)
        refused(.misuse) { try exact.execute("Alien") }
        refused(.misuse) { try exact.executeAll([[.text("Alien")]]) }
        refused(.misuse) { _ = try exact.query { _ in } }
        refused(.misuse) { _ = try find(exact, Value.null) }
        refused(.misuse) { _ = try find(exact, true) }
        let narrow = try server.prepare("SELECT id FROM films WHERE \(sealed: "films.title")")
        refused(.misuse) { _ = try narrow.query("Alien") { _ in } }
    }

    @Test(
        "A registry that changes under the connection is seen before a cell is opened",
        arguments: [
            ("DELETE FROM lockstep_dataset", LockstepError.Code.registryMissing),
            ("UPDATE lockstep_dataset SET changes = changes + 1", .registryForged),
            ("UPDATE lockstep_dataset SET mac = registry", .registryForged),
            ("DROP TABLE lockstep_dataset", .registryForged),
            ("ALTER TABLE lockstep_dataset DROP COLUMN mac", .registryForged),
        ])
    func changed(_ change: String, _ code: LockstepError.Code) throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        try server.insert("films", ["title": .text("Alien")])
        let exact = try server.prepare(Self.exact)
        #expect(try find(exact, "Alien", "Alien") == ["Alien", "Alien"])
        try scratch.operate().execute(ServerSQL(verbatim: change))
        refused(code) { _ = try find(exact, "Alien") }
        refused(code) { _ = try find(exact, "Alien") }
    }

    @Test("They follow a registry that others change, and tables that are made again") func follows() throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        let other = try scratch.connection()
        try server.insert("films", ["title": .text("Alien")])
        let exact = try server.prepare(Self.exact)
        #expect(try find(exact, "Alien") == ["Alien"])
        try other.execute("CREATE TABLE notes (id bigint PRIMARY KEY, text text)")
        try other.transaction {
            try SealedScratch.protect("protect notes.text dataset=films index=exact", $0)
        }
        try other.insert("notes", ["id": .integer(1), "text": .text("secret")])
        // Seen in the same round trip: the column is sealed now.
        #expect(try find(exact, "Alien") == ["Alien"])
        let notes = try server.prepare(
            "SELECT id, text FROM notes WHERE \(sealed: "notes.text")")
        #expect(try find(notes, "secret", "Alien") == ["secret"])
        let both = try server.transaction { _ in
            try find(notes, "secret") + find(exact, "Alien")
        }
        #expect(both == ["secret", "Alien"])
        // The look that was prepared is of no use any more, and the registry says the same.
        try other.execute("ALTER TABLE lockstep_dataset ALTER COLUMN changes TYPE integer")
        #expect(try find(exact, "Alien", "Alien") == ["Alien", "Alien"])
    }
}
