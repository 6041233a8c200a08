import Lockstep
import TestSupport

@testable import LockstepPostgres

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
