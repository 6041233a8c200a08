import Lockstep
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

@Suite("An independent reader of servers", .withServer)
struct ServerReaderTests {
    /// What somebody does to the server, and what the reader then reports: the registry, the manifest, the tokens, and
    /// how many cells do not open.
    private typealias Case = (sql: [String], registry: String, manifest: String, tokens: String, closed: Int)

    private static let cases: [Case] = [
        ([], "holds", "holds", "hold", 0),
        // One bit each.
        ([flip("title", in: "films", 40)], "holds", "rows-changed", "differ", 1),
        ([flip("title", in: "films", 6)], "holds", "rows-changed", "differ", 1),
        ([flip("cover", in: "films", 0, of: 9)], "holds", "rows-changed", "hold", 1),
        (
            [flip("mac", in: "lockstep_dataset", 31, of: nil)], "forged", "registry-other",
            "hold", 0
        ),
        ([flip("mac", in: "lockstep_column", 0, of: 1)], "forged", "holds", "hold", 0),
        ([flip("mac", in: "lockstep_index", 0, of: nil)], "forged", "holds", "hold", 0),
        (
            [flip("commitment", in: "lockstep_field_key", 9, of: nil)], "forged", "holds",
            "hold",
            0
        ),
        (
            ["UPDATE films SET year = year # 1 WHERE id = 3"], "holds", "plain-changed", "hold",
            0
        ),
        (
            ["UPDATE films SET seen = NOT seen WHERE id = 3"], "holds", "plain-changed", "hold",
            0
        ),
        (["UPDATE films SET made = made + interval '1 microsecond' WHERE id = 3"], "holds", "plain-changed", "hold", 0),
        (
            ["UPDATE films SET title_casefold_token = title_casefold_token # 1 WHERE id = 6"],
            "holds", "plain-changed", "differ", 0
        ),
        // More than that.
        (
            ["UPDATE films SET cover = (SELECT cover FROM films WHERE id = 6) WHERE id = 9"],
            "holds", "rows-changed", "hold", 1
        ), (["DELETE FROM tag WHERE film = 9", "DELETE FROM films WHERE id = 9"], "holds", "rows-missing", "hold", 0),
        (
            ["UPDATE lockstep_dataset SET changes = changes + 1"], "forged", "registry-newer",
            "hold", 0
        ),
        (
            ["UPDATE lockstep_column SET padding = 64 WHERE id = 1"], "forged", "holds", "hold",
            0
        ),
        (["UPDATE lockstep_index SET bits = bits + 1"], "forged", "holds", "differ", 0),
        (
            ["UPDATE lockstep_manifest SET text = replace(text, 'release 1 ', 'release 2 ')"],
            "holds", "forged", "hold", 0
        ),
        (["ALTER TABLE films ADD COLUMN more text"], "holds", "table-other", "hold", 0),
    ]

    /// Changes one bit of a row.
    private static func flip(
        _ column: String, in table: String, _ place: Int, of id: Int? = 3
    ) -> String {
        "UPDATE \(table) SET \(column) = set_byte(\(column), \(place), get_byte(\(column), \(place)) # 1)"
            + (id.map { " WHERE id = \($0)" } ?? "")
    }

    @Test(
        "It opens every cell and finds registry, tokens and manifest right, and notices each flipped bit",
        .enabled(if: ServerReader.isPresent, ServerReader.missing))
    func reads() throws {
        let ring = try Keyring.create(.fields)
        let scratch = try CopyScratch(keys: ring.fieldKeys(named: "films"))
        try scratch.fill(12)
        try scratch.file.execute(
            "UPDATE films_open SET title = NULL, score = 1e300 WHERE id = 12")
        try Manifest.make(ring, in: scratch.file)
        let server = try TestServer.connection()
        _ = try ServerCopy([scratch.set(.postgres)]).run(from: scratch.file, to: server)
        // The guards against accidents do not stop the owner of the tables.
        for column in ["title", "cover"] {
            try server.execute("ALTER TABLE films DROP CONSTRAINT \(name: "lockstep_films_\(column)_cell")")
        }
        var folders: [TemporaryFolder] = []
        for one in Self.cases {
            try server.execute("BEGIN")
            for sql in one.sql { try server.execute(ServerSQL(verbatim: sql)) }
            folders.append(try ServerReader.export(server))
            try server.execute("ROLLBACK")
        }
        let found = try ServerReader.read(folders, ServerReader.Request(ring))
        #expect(found.count == Self.cases.count)
        let titles = (1...12).map {
            $0 == 4 ? "null" : "3 \(Hex.encode(Array("film \($0)".utf8)))"
        }
        #expect(found[0].cells["films.title"] == titles)
        #expect(found[0].cells["films.cover"]?[3] == "4 07070707")
        for (one, findings) in zip(Self.cases, found) {
            let closed = findings.cells.values.joined().filter {
                ["forged", "malformed", "other-binding"].contains($0)
            }
            let report = (
                findings.registry, findings.manifest, findings.tokens, closed.count
            )
            #expect(
                report == (one.registry, one.manifest, one.tokens, one.closed), "\(one.sql)")
        }
    }
}
