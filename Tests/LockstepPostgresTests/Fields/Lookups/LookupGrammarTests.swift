import Lockstep
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

/// Statements of a grammar with look-ups anywhere, on a table with sealed columns and on its twin in plaintext: the same rows,
/// or a refusal. The tokens have few bits, so that every look-up finds rows that only share one.
@Suite("Look-ups in sealed columns against a twin in plaintext", .withServer)
struct LookupGrammarTests {
    private static let campaign = Campaign("LookupGrammarTests")

    @Test("A statement finds what its twin finds, or is refused")
    func twins() throws {
        guard let part = Self.campaign.begin() else { return }
        defer { part.end() }
        let bench = try LookupBench()
        var random = SplitMix64(state: Torture.campaignSeed)
        var done = 0
        while part.goesOn(after: done, of: 400), bench.findings.count < 5 {
            try bench.compare(LookupStatement(&random), isFiltered: true)
            done += 1
        }
        part.count("equal", bench.equal)
        part.count("refused", bench.refused)
        for finding in bench.findings { Issue.record("\(finding)") }
        if done >= 400 { #expect(bench.equal > done / 8 && bench.refused > done / 8) }
    }

    @Test("Control: with the tokens alone other rows are found") func control() throws {
        let bench = try LookupBench()
        var random = SplitMix64(state: 3)
        for _ in 0..<200 where bench.findings.isEmpty {
            try bench.compare(LookupStatement(&random), isFiltered: false)
        }
        #expect(!bench.findings.isEmpty)
    }
}

/// A statement with look-ups, of which each place has a column and a value.
struct LookupStatement {
    enum Piece {
        case text(String)
        case lookup(column: String, value: String)
    }

    private(set) var pieces: [Piece] = []

    init(_ random: inout SplitMix64) {
        func number(_ count: Int) -> Int { Int.random(in: 0..<count, using: &random) }
        func one(_ texts: String...) -> String { texts[number(texts.count)] }
        var pieces: [Piece] = []
        func add(_ text: String) { pieces.append(.text(text)) }
        func lookup() {
            let value = number(12) == 0 ? "nowhere" : "t\(number(20))"
            pieces.append(.lookup(column: one("title", "title", "label"), value: value))
        }
        func plain() {
            add(
                one(
                    "f.year > 1950", "f.id BETWEEN 3 AND 40", "f.year IS NOT NULL", "true", "f.id <> 7", "f.year = 1960"
                ))
        }
        func condition(_ depth: Int) {
            switch depth > 2 ? number(2) : number(16) {
            case 0, 1, 2: lookup()
            case 3: plain()
            case 4, 5, 6, 7:
                condition(depth + 1)
                add(" AND ")
                condition(depth + 1)
            case 8, 9:
                add("(")
                condition(depth + 1)
                add(")")
            case 10:
                condition(depth + 1)
                add(" OR ")
                plain()
            case 11:
                add("NOT ")
                condition(depth + 1)
            case 12:
                add("(")
                condition(depth + 1)
                add(one(") IS TRUE", ") = true", ") IS NOT FALSE", ") <> false", ")::int = 1"))
            case 13:
                add(one("coalesce(", "bool(", "greatest(false, "))
                condition(depth + 1)
                add(", false)")
            case 14:
                add("CASE WHEN ")
                condition(depth + 1)
                add(" THEN true ELSE false END")
            default:
                add("f.id BETWEEN 2 AND 50 AND ")
                condition(depth + 1)
            }
        }
        add(
            "SELECT \(one("f.id, f.title, f.label", "f.id, f.title, f.label", "f.id, f.title, f.label, f.year", "DISTINCT f.id, f.title, f.label")) FROM "
        )
        add(one("films AS f", "films AS f", "films AS f", "films f", "(films AS f)"))
        let join = number(8)
        if join < 3 {
            add(one(" JOIN tags AS t ON t.film = f.id", " LEFT JOIN tags AS t ON t.film = f.id", ", tags AS t"))
            if number(2) == 0 {
                add(join == 0 ? " AND " : " JOIN tags AS u ON ")
                condition(1)
            }
        }
        add(" WHERE ")
        condition(0)
        add(
            one(
                "", "", "", " ORDER BY f.id", " ORDER BY f.year, f.id", " ORDER BY f.id LIMIT 3",
                " ORDER BY f.id OFFSET 1", " FOR UPDATE OF f", ";", " -- end"))
        self.pieces = pieces
    }

    /// With `twin` in place of the table, and values in place of look-ups.
    var twin: String {
        pieces.map { piece in
            switch piece {
            case .text(let text): text.replacing("films", with: "twin")
            case .lookup(let column, let value): "f.\(column) = '\(value)'"
            }
        }.joined()
    }

    var sealed: ServerSQL {
        var sql = ServerSQL.StringInterpolation(literalCapacity: 100, interpolationCount: 4)
        for piece in pieces {
            switch piece {
            case .text(let text): sql.appendLiteral(text)
            case .lookup(let column, let value):
                sql.appendInterpolation(sealed: "films.\(column)", equals: .text(value), as: "f")
            }
        }
        return ServerSQL(stringInterpolation: sql)
    }

    /// With the tokens that a row of this value has.
    func tokens(_ token: (_ column: String, _ value: String) throws -> Int64?) rethrows -> String {
        try pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .lookup(let column, let value):
                try token(column, value).map { "f.\(column)_exact_token = \($0)" } ?? "false"
            }
        }.joined()
    }
}

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
