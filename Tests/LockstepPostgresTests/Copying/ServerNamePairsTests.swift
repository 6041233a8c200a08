import Lockstep
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

/// Tables and columns with names that Swift takes for equal, and the servers do not.
@Suite("Pairs of names on servers", .withServer)
struct ServerNamePairsTests {
    private static func statements(_ tables: NamePair, _ columns: NamePair) -> String {
        tables.both.enumerated().map { place, name in
            """
            CREATE TABLE \(SQLTokens.quote(name)) (id bigint PRIMARY KEY, \(SQLTokens.quote(columns.one)) text,
                \(SQLTokens.quote(columns.other)) text);
            CREATE INDEX \(SQLTokens.quote("i\(name)")) ON \(SQLTokens.quote(name)) (\(SQLTokens.quote(columns.other)));
            """
        }.joined(separator: "\n")
    }

    @Test(
        "Copied to a server and back, prepared, guarded and counted",
        arguments: Array(0..<UInt64(4)))
    func copies(_ seed: UInt64) throws {
        var dice = SplitMix64(state: seed &* 91 &+ 2)
        let (tables, columns) = (NamePair.random(using: &dice), NamePair.random(using: &dice))
        let files = [
            (
                name: "0001_pairs.sql",
                content: ServerScratch.up(Self.statements(tables, columns))
            )
        ]
        let file = try Connection.inMemory()
        var report = MigrationReport()
        try Migrator(MigrationSet(name: "pairs", files: files)).run(on: file, into: &report)
        for (place, name) in tables.both.enumerated() {
            for row in 0...(2 * place) {
                try file.execute(
                    "INSERT INTO \(name: name) VALUES (\(row), \("\(place) \(row)"), \(columns.one))"
                )
            }
        }
        let set = try MigrationSet(name: "pairs", files: files, engine: .postgres)
        let server = try ServerConnection(TestServer.shared.get().address())
        let copied = try ServerCopy([set]).run(from: file, to: server)
        let rows = copied.tables.map { (ExactText($0.name), $0.rows) }
        #expect(Dictionary(rows) { $1 } == [ExactText(tables.one): 1, ExactText(tables.other): 3])
        func texts(_ server: borrowing ServerConnection) throws -> [[String]] {
            try tables.both.map { name in
                try server.query(
                    "SELECT \(name: columns.one), \(name: columns.other) FROM \(name: name) ORDER BY id"
                ) { row in
                    let texts: [String] = [try row[0], try row[1]]
                    return texts.joined(separator: " ")
                }
            }
        }
        let wanted = [[0], [0, 1, 2]].enumerated().map { place, rows in
            rows.map { "\(place) \($0) \(columns.one)" }
        }
        let found = try texts(server)
        #expect(found.map { $0.map { ExactText($0) } } == wanted.map { $0.map { ExactText($0) } })

        let back = try Connection.inMemory()
        _ = try ServerCopy([MigrationSet(name: "pairs", files: files)]).run(from: server, to: back)
        for (place, name) in tables.both.enumerated() {
            let texts = try back.query(
                "SELECT \(name: columns.one) FROM \(name: name) ORDER BY id"
            ) { row in try row[0] as String }
            #expect(texts == (0...(2 * place)).map { "\(place) \($0)" })
        }

        // The loss of the one table's rows is declared, and the other's are lost.
        let (one, other) = (SQLTokens.quote(tables.one), SQLTokens.quote(tables.other))
        let loses = try MigrationSet(
            name: "loses",
            files: [
                (
                    name: "0001_loses.sql",
                    content: ServerScratch.up(
                        "-- lockstep: allow loss of table \(one)\nDELETE FROM \(other);")
                )
            ], engine: .postgres)
        refused(.rowsLost) { _ = try ServerMigrator(loses).run(on: server) }
        #expect(try texts(server)[1].count == 3)
    }

    @Test("Each text that a server prepares is its own", arguments: NamePair.all)
    func texts(_ pair: NamePair) throws {
        let server = try ServerConnection(TestServer.shared.get().address())
        for _ in 0..<2 {
            for text in pair.both {
                let found: String? = try server.value(
                    "SELECT '\(verbatim: text)'::text")
                #expect(found.map { ExactText($0) } == ExactText(text))
            }
        }
    }
}
