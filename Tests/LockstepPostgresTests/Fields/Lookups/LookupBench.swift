import Lockstep
import TestServers
import TestSupport

@testable import LockstepPostgres

/// Films, and the same in plaintext.
final class LookupBench {
    private let server: ServerConnection
    private let operate: ServerConnection
    private(set) var (equal, refused) = (0, 0)
    private(set) var findings: [String] = []

    init() throws {
        let address = try TestServer.shared.get().address()
        operate = try ServerConnection(address)
        try operate.execute("CREATE TABLE films (id bigint PRIMARY KEY, title text, label text, year int)")
        try operate.execute("CREATE TABLE twin (id bigint PRIMARY KEY, title text, label text, year int)")
        try operate.execute("CREATE TABLE tags (film bigint, name text)")
        try operate.execute("INSERT INTO tags SELECT n % 40, 'tag' || n FROM generate_series(1, 60) AS n")
        let keys = try SealedScratch.makeKeys()
        var options = ServerOptions()
        options.fieldKeys = [keys]
        options.mayBeUnsealed = true
        do {
            let server = try ServerConnection(address, .none, options)
            try server.transaction { server in
                try SealedScratch.protect("protect films.title dataset=films index=exact:3", server)
                try SealedScratch.protect("protect films.label dataset=films index=exact:2", server)
            }
        }
        server = try ServerConnection(address, .none, options)
        var random = SplitMix64(state: 17)
        let rows: [[Value]] = (1...60).map { id in
            func text() -> Value {
                Int.random(in: 0..<10, using: &random) == 0
                    ? .null : .text("t\(Int.random(in: 0..<20, using: &random))")
            }
            return [.integer(Int64(id)), text(), text(), id % 9 == 0 ? .null : .integer(1940 + Int64(id))]
        }
        try server.insert("films", ["id", "title", "label", "year"], rows)
        for row in rows {
            try operate.execute(
                "INSERT INTO twin VALUES (\(row[0]), \(row[1]), \(row[2]), \(row[3]))")
        }
    }

    func compare(_ statement: LookupStatement, isFiltered: Bool) throws {
        let wanted: [String]
        do {
            wanted = try rows(ServerSQL(verbatim: statement.twin), operate)
        } catch is LockstepError {
            // No statement for any table.
            return
        }
        let found: [String]
        do {
            let sql = isFiltered ? statement.sealed : ServerSQL(verbatim: try statement.tokens(token))
            found = try rows(sql, server)
        } catch let error as LockstepError {
            guard error.code == .misuse else { return findings.append("\(error): \(statement.twin)") }
            refused += 1
            return
        }
        guard found == wanted else {
            return findings.append("\(found.count) rows and not \(wanted.count): \(statement.twin)")
        }
        equal += 1
    }

    private func token(_ column: String, _ value: String) throws -> Int64? {
        let films = try server.query(ServerSQL(verbatim: "SELECT id, \(column), \(column)_exact_token FROM films")) {
            (try $0[1] as String?, try $0[2] as Int64?)
        }
        return films.first { $0.0 == value }?.1
    }

    private func rows(_ sql: ServerSQL, _ connection: borrowing ServerConnection) throws -> [String] {
        try connection.query(sql) { row in
            "\(try row[0] as Int) \(try row[1] as String? ?? "NULL") \(try row[2] as String? ?? "NULL")"
        }.sorted()
    }
}
