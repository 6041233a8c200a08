import Lockstep
import TestServers
import Testing

@testable import LockstepPostgres

@Suite("The registry of sealed columns on servers", .withServer)
struct ServerRegistryTests {
    @Test(
        "Whatever a writer of the server changes in it is refused",
        arguments: [
            "DELETE FROM lockstep_column WHERE id = 1", "UPDATE lockstep_column SET state = 'plaintext' WHERE id = 1",
            "UPDATE lockstep_column SET name = 'cover' WHERE id = 1",
            "UPDATE lockstep_column SET identity = (SELECT identity FROM lockstep_column WHERE id = 2) WHERE id = 1",
            "UPDATE lockstep_column SET row_key = 'row year' WHERE id = 1", "UPDATE lockstep_column SET padding = -1",
            "UPDATE lockstep_column SET id = id + 4294967296", "UPDATE lockstep_dataset SET changes = changes + 1",
            "UPDATE lockstep_dataset SET registry = '\\x00'", "UPDATE lockstep_index SET bits = 20 WHERE bits = 24",
            "DELETE FROM lockstep_index WHERE number = 1",
            "DELETE FROM lockstep_field_key", "DROP TABLE lockstep_field_key",
            "DROP TABLE lockstep_column",
            "ALTER TABLE lockstep_column DROP COLUMN mac",
            "ALTER TABLE lockstep_index RENAME TO x; CREATE VIEW lockstep_index AS SELECT * FROM x",
            "CREATE RULE r AS ON INSERT TO lockstep_column DO ALSO SELECT 1",
            "ALTER TABLE films RENAME COLUMN title TO name",
            "ALTER TABLE films RENAME TO movies",
        ])
    func forged(_ change: String) throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        try server.insert("films", ["title": .text("a")])
        for statement in change.split(separator: ";") {
            try scratch.operate().execute(ServerSQL(verbatim: String(statement)))
        }
        refused(.registryForged) { _ = try scratch.connection() }
    }

    @Test("A registry that is gone, or that of another database, is refused")
    func removed() throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        try server.insert("films", ["title": .text("a")])
        let operated = try scratch.operate()
        try operated.execute("DELETE FROM lockstep_dataset")
        // The connection has seen it.
        refused(.registryMissing) { try server.insert("films", ["title": .text("b")]) }
        refused(.registryMissing) { _ = try scratch.connection() }
        var options = ServerOptions()
        (options.fieldKeys, options.mayBeUnsealed) = ([scratch.keys], true)
        options.sealed = ["films.title"]
        options.mayBeUnsealed = false
        refused(.registryMissing) {
            _ = try ServerConnection(scratch.address, .none, options)
        }
        // The registry of another database of the dataset.
        let other = try SealedScratch(keys: scratch.keys)
        let rows = try ServerRegistry(schema: "public").records(of: scratch.keys.dataset, other.operate())
        try operated.transaction {
            try ServerRegistry(schema: "public").write(try #require(rows), $0)
        }
        refused(.registryForged) { try server.insert("films", ["title": .text("b")]) }
    }

    @Test("An open connection follows the registry, and what it relies on must be sealed") func follows() throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        let other = try scratch.connection()
        try server.insert("films", ["title": .text("a")])
        try other.execute("CREATE TABLE notes (id bigint PRIMARY KEY, text text)")
        try other.transaction {
            try SealedScratch.protect("protect notes.text dataset=films", $0)
        }
        try server.insert("notes", ["id": .integer(1), "text": .text("secret")])
        #expect(
            try server.query("SELECT id, text FROM notes") { try $0[1] as String } == ["secret"]
        )
        // The table is made again, and its columns have other numbers.
        try other.execute("ALTER TABLE notes RENAME TO old")
        try other.execute("CREATE TABLE notes (more text, id bigint PRIMARY KEY, text bytea)")
        try other.execute("INSERT INTO notes (id, text) SELECT id, text FROM old")
        #expect(
            try server.query("SELECT id, text FROM notes") { try $0[1] as String } == ["secret"]
        )
        var options = ServerOptions()
        options.fieldKeys = [scratch.keys]
        options.sealed = ["notes.text", "films.title"]
        _ = try ServerConnection(scratch.address, .none, options)
        options.sealed = ["films.year"]
        refused(.registryMissing) { _ = try ServerConnection(scratch.address, .none, options) }
        options.fieldKeys = []
        refused(.keyUnavailable) { _ = try ServerConnection(scratch.address, .none, options) }
    }

    @Test("The rows of a registry are those that a file would have")
    func sameRows() throws {
        let scratch = try SealedScratch()
        let records = try #require(
            try ServerRegistry(schema: "public").records(of: scratch.keys.dataset, scratch.operate()))
        let registry = try records.registry(scratch.keys)
        #expect(registry.columns.map(\.name) == ["title", "cover", "label"])
        #expect(registry.columns.allSatisfy { $0.state == .sealed && $0.identity != nil })
        #expect(registry.columns.map { $0.rowKey?.spelling } == ["row id", "row id", nil])
    }

    @Test("Columns that cannot be sealed are refused, and nothing of it stays") func refusedColumns() throws {
        let address = try TestServer.shared.get().address()
        let keys = try SealedScratch.makeKeys()
        var options = ServerOptions()
        (options.fieldKeys, options.mayBeUnsealed) = ([keys], true)
        let server = try ServerConnection(address, .none, options)
        try server.execute(
            """
            CREATE TABLE t (id bigint PRIMARY KEY, u text UNIQUE, c text CHECK (c <> ''), d text DEFAULT 'x',
                g text GENERATED ALWAYS AS ('a') STORED, r bigint REFERENCES t)
            """)
        try server.execute(
            "CREATE TABLE n (k numeric PRIMARY KEY, v text, v_exact_token bigint)")
        try server.execute("CREATE TABLE full_one (id bigint PRIMARY KEY, v text)")
        try server.execute("INSERT INTO full_one VALUES (1, 'x')")
        for column in ["t.id", "t.u", "t.c", "t.d", "t.g", "t.r", "t.none", "none.x", "n.v", "full_one.v"] {
            refused(.misuse) {
                try server.transaction {
                    try SealedScratch.protect("protect \(column) dataset=films", $0)
                }
            }
        }
        refused(.misuse) {
            try server.transaction {
                try SealedScratch.protect("protect n.v dataset=films mode=deterministic index=exact", $0)
            }
        }
        refused(.keyUnavailable) {
            try server.transaction {
                try SealedScratch.protect("protect n.v dataset=other", $0)
            }
        }
        #expect(try !Exposure(schema: "public").isHeld(server))
        // Without an index the deterministic column needs no key; then it is given up again.
        try server.transaction {
            try SealedScratch.protect("protect n.v dataset=films mode=deterministic", $0)
            try SealedScratch.protect("protect n.v dataset=films mode=deterministic", $0)
            try SealedScratch.protect("unprotect n.v dataset=films", $0)
        }
        #expect(server.fields?.columns.isEmpty == true)
    }

    @Test("A column that holds plaintext is named, once something is sealed")
    func exposure() throws {
        let scratch = try SealedScratch()
        let server = try scratch.connection()
        let exposure = Exposure(schema: "public")
        #expect(try exposure.isHeld(server))
        #expect(try exposure.unnamed(server, by: .server).map(\.title) == ["films.id", "films.year"])
        let error = refused(.exposed) { try exposure.require(server, by: .server) }
        #expect(error?.message.contains("films.year") == true)
        #expect(error?.hint?.contains("-- lockstep: plaintext films.year") == true)
        try server.transaction { try exposure.allow("Films", "ID", $0) }
        #expect(try exposure.unnamed(server, by: .server).map(\.title) == ["films.year"])
        try server.transaction { try exposure.allow("films", nil, $0) }
        try exposure.require(server, by: .server)
        // What the server says of a column that this transaction makes counts for nothing.
        #expect(try exposure.unnamed(server, by: .sets([])).count == 2)
        try server.transaction { server in
            try server.execute("ALTER TABLE films ADD COLUMN more text")
            try exposure.require(server, by: .server)
            #expect(try exposure.unnamed(server, by: .version([], made: [])).map(\.title) == ["films.more"])
            #expect(
                try exposure.unnamed(server, by: .version([], made: ["more", "YEAR"])).map(\.title)
                    == ["films.more", "films.year"])
            try exposure.require(server, by: .version([.init(table: "films", name: "more")], made: []))
        }
    }
}
