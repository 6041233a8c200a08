@testable import Lockstep

/// The parsers of SQL: tokens, and definitions of schemas. Any text is accepted.
final class SQLTarget: FuzzTarget {
    static let name = "sql"
    static let refusals: Set<LockstepError.Code> = []

    static func seeds() -> [String: [UInt8]] {
        let texts = [
            "table":
                "CREATE TABLE \"a b\" (id INTEGER PRIMARY KEY, [c] TEXT NOT NULL DEFAULT ('x') COLLATE NOCASE,"
                + " d REFERENCES e (f) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED, CHECK (c <> ''),"
                + " UNIQUE (c, d) ON CONFLICT IGNORE) STRICT, WITHOUT ROWID",
            "generated":
                "CREATE TABLE t(a, b AS (a * 2) STORED, CONSTRAINT x FOREIGN KEY (a) REFERENCES u)",
            "virtual": "CREATE VIRTUAL TABLE f USING fts5(title, content='movies')",
            "index":
                "CREATE UNIQUE INDEX i ON t (a COLLATE BINARY DESC, lower(b)) WHERE c IS NOT NULL",
            "trigger":
                "CREATE TRIGGER t AFTER UPDATE OF a ON t FOR EACH ROW WHEN new.a > 1 BEGIN SELECT 1; END",
            "view":
                "CREATE VIEW v (a, b) AS SELECT x.'y', 1e-5, X'00ff' FROM `z` /* c */ -- d\nWHERE ?1 < :n",
            "message": "near \"foo\": syntax error", "literal": "(-1.5)", "directive": "backfill \"t\" batch=10",
            "sealing": "protect a.b dataset=films index=exact,prefix-3:16 padding=32 batch=5000",
            "set": "set likes = min(max(likes, 0), 3)",
        ]
        return texts.mapValues { Array($0.utf8) }
    }

    func run(_ input: [UInt8]) throws {
        guard let text = String(validating: input, as: UTF8.self) else { return }
        var end = 0
        for token in SQLTokens(text) {
            require(token.range.lowerBound == end && !token.range.isEmpty, "tokens leave something out")
            end = token.range.upperBound
        }
        require(end == input.count, "tokens end before the text does")
        let normal = SQLTokens.normalize(text)
        if isWhole(text) {
            require(SQLTokens.normalize(normal) == normal, "a normal form has another one")
        }
        _ = SQLTokens.redact(text)
        require(SQLTokens.unquote(SQLTokens.quote(text)).utf8.elementsEqual(input), "a quoted name is another one")
        _ = SQLCursor(text).mentions("t")
        _ = MessageRedaction.redact(text, 1, text, isRunning: false)
        _ = NontransactionalStatements.endsStatement(at: input.count / 2, of: text)
        if let literal = LiteralDefault(text) {
            require(LiteralDefault(literal.sql) == literal, "a default is read as another one")
        }
        if let directive = Directive(text) {
            require(
                Directive(directive.spelling) == directive, "a directive is read as another one: \(directive.spelling)")
        }
        _ = outcome([.misuse]) { try SchemaObject(statement: text) }
        define(text)
    }

    /// Whether all quotes and comments are closed. SQLite accepts nothing else.
    private func isWhole(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        return SQLTokens(text).allSatisfy { token in
            let last = bytes[token.range.upperBound - 1]
            let first = bytes[token.range.lowerBound]
            switch token.kind {
            case .string, .quotedName:
                return token.range.count > 1 && (first == UInt8(ascii: "[") ? last == UInt8(ascii: "]") : last == first)
                    && isEven(bytes[token.range], first)
            case .blob: return last == UInt8(ascii: "'") && token.range.count > 2
            default: return true
            }
        }
    }

    private func isEven(_ token: ArraySlice<UInt8>, _ quote: UInt8) -> Bool {
        quote == UInt8(ascii: "[") || token.count { $0 == quote }.isMultiple(of: 2)
    }

    private func define(_ sql: String) {
        var table = DefinedObject(type: "table", name: "t", table: "t", sql: sql)
        table.readTable()
        for type in ["index", "trigger", "view"] {
            var object = DefinedObject(type: type, name: "t", table: "t", sql: sql)
            object.read(names: ["t", "a"]) { _ in ["a", "b"] }
            require(object.isSame(as: object), "a definition is not the same as itself")
            _ = object.details(against: table)
        }
    }
}
