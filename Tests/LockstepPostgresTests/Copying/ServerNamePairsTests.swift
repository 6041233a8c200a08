import Lockstep
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

/// Tables and columns with names that Swift takes for equal, and SQLite and PostgreSQL do not. Their rows are read in hex
/// before and afterwards.
@Suite("Pairs of names on servers", .withServer)
struct ServerNamePairsTests {
    private let tables: NamePair
    private let columns: NamePair

    init() {
        var dice = SplitMix64(state: Torture.campaignSeed)
        (tables, columns) = (Self.pair("t", &dice), Self.pair("c", &dice))
    }

    /// A pair without spaces and semicolons, which directives do not take.
    private static func pair(_ start: String, _ dice: inout SplitMix64) -> NamePair {
        let usable = NamePair.all.filter { !$0.both.contains(";") }
        let pair = usable.randomElement(using: &dice) ?? usable[0]
        return NamePair(one: start + pair.one, other: start + pair.other)
    }

    private func set(_ engine: DatabaseEngine) throws -> MigrationSet {
        let statements = tables.both.map { table in
            "CREATE TABLE \"\(table)\" (id bigint PRIMARY KEY, \"\(columns.one)\" text, \"\(columns.other)\" text);"
        }
        let content = "-- lockstep: up\n" + statements.joined(separator: "\n")
        return try MigrationSet(name: "pairs", files: [("0001_pairs.sql", content)], engine: engine)
    }

    /// What a table holds, a row a line, from a file.
    private func rows(of table: String, _ db: borrowing Connection) throws -> [String] {
        let (one, other) = ("\"\(columns.one)\"", "\"\(columns.other)\"")
        return try db.query(
            SQL(verbatim: "SELECT id || ' ' || hex(\(one)) || ' ' || hex(\(other)) FROM \"\(table)\" ORDER BY id")
        ) { row in try row[0] as String }
    }

    /// The same from a server.
    private func rows(of table: String, _ server: borrowing ServerConnection) throws -> [String] {
        let hex = columns.both.map { "upper(encode(convert_to(\"\($0)\", 'UTF8'), 'hex'))" }
        return try server.query(
            ServerSQL(verbatim: "SELECT id || ' ' || \(hex[0]) || ' ' || \(hex[1]) FROM \"\(table)\" ORDER BY id")
        ) { row in try row[0] as String }
    }

    @Test("Rows go to a server and back, each into the table and the column of its bytes")
    func roundTrip() throws {
        let file = try Connection.inMemory()
        var report = MigrationReport()
        try Migrator(set(.sqlite)).run(on: file, into: &report)
        for (place, table) in tables.both.enumerated() {
            for row in 0...(2 * place) {
                try file.run(
                    script: """
                        INSERT INTO "\(table)" (id, "\(columns.other)", "\(columns.one)")
                        VALUES (\(row), 'other \(place) \(row) \(tables.one)', 'one \(place) \(row) \(tables.other)');
                        """)
            }
        }
        let before = try tables.both.map { try rows(of: $0, file) }
        #expect(before.map(\.count) == [1, 3])

        let address = try TestServer.shared.get().address()
        let server = try ServerConnection(address)
        var copy = try ServerCopy([set(.postgres)])
        copy.plaintext = tables.both.map { "\($0).*" }
        _ = try copy.run(from: file, to: server)
        for (place, table) in tables.both.enumerated() {
            let there = try rows(of: table, server)
            #expect(there == before[place], "\(tables), \(columns)")
        }

        let back = try Connection.inMemory()
        _ = try ServerCopy([set(.sqlite)]).run(from: server, to: back)
        let after = try tables.both.map { try rows(of: $0, back) }
        #expect(after == before, "\(tables), \(columns)")
    }

    @Test("Names that a copy does not name stay exposed: the other spelling does not declare them")
    func exposure() throws {
        let file = try Connection.inMemory()
        var report = MigrationReport()
        try Migrator(set(.sqlite)).run(on: file, into: &report)
        let server = try TestServer.connection()
        var copy = try ServerCopy([set(.postgres)])
        copy.plaintext = ["\(tables.one).*"]
        let error = refused(.exposed) { _ = try copy.run(from: file, to: server) }
        #expect(error?.message.utf8.count ?? 0 > 0)
    }
}
