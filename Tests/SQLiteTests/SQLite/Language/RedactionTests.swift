import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Redacted SQL")
struct RedactionTests {
    @Test(
        "Literals of every kind become question marks",
        arguments: [
            ("SELECT 'hunter2'", "SELECT ?"), ("SELECT 'it''s hunter2'", "SELECT ?"), ("SELECT ''''", "SELECT ?"),
            ("SELECT '''hunter2'''", "SELECT ?"), ("SELECT x'0aFF'", "SELECT ?"), ("SELECT X''", "SELECT ?"),
            ("SELECT 42", "SELECT ?"), ("SELECT -4.2e-7", "SELECT -?"), ("SELECT .5+5.", "SELECT ?+?"),
            ("SELECT 0xDEADbeef", "SELECT ?"), ("SELECT 1_000", "SELECT ?"),
            ("VALUES(1,'a',x'00')", "VALUES(?,?,?)"), ("SELECT 'a\nb'", "SELECT ?"),
            ("SELECT '-- no comment', 2", "SELECT ?, ?"), ("SELECT 'é🔐'||'x'", "SELECT ?||?"),
        ])
    func literals(_ sql: String, _ redacted: String) {
        #expect(SQLTokens.redact(sql) == redacted)
    }

    @Test(
        "Comments and space become one space",
        arguments: [
            ("SELECT 1 -- hunter2", "SELECT ?"), ("-- hunter2\nSELECT 1", "SELECT ?"),
            ("SELECT/* 'hunter2 */1", "SELECT ?"), ("SELECT \n\t  1", "SELECT ?"),
            ("/* hunter2 */", ""), ("SELECT a /* x */ -- y\n /* z */ FROM t", "SELECT a FROM t"),
        ])
    func comments(_ sql: String, _ redacted: String) {
        #expect(SQLTokens.redact(sql) == redacted)
    }

    @Test("Names and parameters stay, whatever their quoting or numbering")
    func names() {
        let sql = "INSERT INTO \"my table\" ([a b], `c`, dé1) VALUES (?, ?2, :x, @y, $z)"
        #expect(SQLTokens.redact(sql) == sql)
    }

    @Test(
        "An unterminated literal or comment is redacted to the end",
        arguments: [
            ("SELECT 'hunter2", "SELECT ?"), ("SELECT x'6875", "SELECT ?"), ("SELECT 'a''", "SELECT ?"),
            ("SELECT 1 /* hunter2", "SELECT ?"), ("SELECT 1 -- hunter2", "SELECT ?"), ("SELECT 1 /*", "SELECT ?"),
            ("SELECT 'a' 'hunter2 WHERE b", "SELECT ? ?"),
        ])
    func unterminated(_ sql: String, _ redacted: String) {
        #expect(SQLTokens.redact(sql) == redacted)
    }

    @Test("Long SQL is cut, but a long literal does not cause a cut")
    func length() {
        let columns = (0..<200).map { "column\($0)" }.joined(separator: ", ")
        let redacted = SQLTokens.redact("SELECT \(columns) FROM t")
        #expect(redacted.hasSuffix(" …") && redacted.count == 402)
        let literal = String(repeating: "a", count: 100_000)
        #expect(SQLTokens.redact("SELECT '\(literal)' FROM t") == "SELECT ? FROM t")
    }
}
