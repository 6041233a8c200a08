import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Quoted names")
struct NameQuotingTests {
    private static let names = [
        "a", "A b", "", "select", "it's", "\"", "\"\"", "a\"b", "\"a\"", "a\"\"b\"", "`", "[x]",
        "日本",
        "; DROP TABLE t; --", "a\nb", "👩‍👩‍👧‍👦", "/* */", "'", "%", "e\u{301}",
    ]

    /// Quotes that a combining mark, a joiner or a prepended mark joins with its neighbour into one character, although
    /// SQLite sees the same byte as always.
    private static let combined = [
        "a\"\u{301}b", "\"\u{301}", "\u{301}", "\u{301}a", "a\"\u{200D}", "a\"\u{FE0F}b", "\u{600}",
        "a\u{600}\"b", "a\u{600}", "x\"\u{301}\" (y); DROP TABLE t; --",
    ]

    @Test("Unquoting returns the original name", arguments: names + combined)
    func roundTrip(_ name: String) {
        let back = SQLTokens.unquote(SQLTokens.quote(name))
        #expect(Array(back.utf8) == Array(name.utf8))
    }

    @Test("A quoted name is one token", arguments: names + combined)
    func oneToken(_ name: String) {
        let quoted = SQLTokens.quote(name)
        let tokens = Array(SQLTokens(quoted))
        #expect(tokens == [.init(kind: .quotedName, range: 0..<quoted.utf8.count)])
    }

    @Test("SQLite reads a quoted name as the name", arguments: names + combined)
    func sqlite(_ name: String) throws {
        let connection = try Connection.inMemory()
        try connection.execute("CREATE TABLE \(name: name) (a)")
        let names = try connection.query("SELECT name FROM sqlite_schema") { row in
            Array((try row[0] as String).utf8)
        }
        #expect(names == [Array(name.utf8)])
    }

    @Test(
        "Every form of quoting is undone",
        arguments: [
            ("a", "a"), ("\"a\"\"b\"", "a\"b"), ("`a``b`", "a`b"), ("'a''b'", "a'b"), ("[a\"b]", "a\"b"), ("\"\"", ""),
            ("\"\"\"\"", "\""), ("\"", "\""), ("\"a``b\"", "a``b"),
        ])
    func unquoting(_ text: String, _ name: String) {
        #expect(SQLTokens.unquote(text) == name)
    }
}
