import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Normalised SQL")
struct NormalizationTests {
    @Test(
        "Spacing, comments, case, quoting of names and closing semicolons make no difference",
        arguments: [
            ("CREATE TABLE t (a, b)", "create  table T(A,B)"), ("CREATE TABLE t (a)", "CREATE TABLE \"t\" ([a]);"),
            ("CREATE TABLE t (a)", "CREATE TABLE `T`\n(\n  a -- the only one\n) ; ;"),
            ("SELECT a FROM t", "/* x */ SELECT/**/a FROM t --"),
            ("SELECT a<=b", "SELECT a <= b"), ("SELECT a||b", "select A || B"),
            ("SELECT \"a\"\"b\"", "SELECT `a\"b`"), ("SELECT ünï", "SELECT \"ünï\""),
        ])
    func equal(_ one: String, _ other: String) {
        #expect(SQLTokens.normalize(one) == SQLTokens.normalize(other))
    }

    @Test(
        "SQL with another meaning has another normal form",
        arguments: [
            ("SELECT 'a'", "SELECT 'A'"), ("SELECT 'a'", "SELECT a"),
            ("SELECT 'a b'", "SELECT 'a  b'"),
            ("SELECT a <= b", "SELECT a < = b"), ("SELECT a | | b", "SELECT a || b"),
            ("SELECT 1", "SELECT 10"), ("SELECT x'00'", "SELECT x '00'"),
            ("SELECT ab", "SELECT a b"),
            ("CREATE TABLE t (a, b)", "CREATE TABLE t (b, a)"), ("SELECT '--'", "SELECT ''"),
            ("SELECT '/* */'", "SELECT ''"), ("SELECT a; SELECT b", "SELECT a SELECT b"),
        ])
    func different(_ one: String, _ other: String) {
        #expect(SQLTokens.normalize(one) != SQLTokens.normalize(other))
    }

    @Test(
        "A quoted name with spaces or signs in it is not the words inside it",
        arguments: [
            ("CREATE TABLE t (\"a b\")", "CREATE TABLE t (a b)"),
            ("CREATE TABLE t (\"a , b\")", "CREATE TABLE t (a , b)"),
            (
                "CREATE TABLE t (a \"integer primary key\")",
                "CREATE TABLE t (a integer primary key)"
            ),
            ("SELECT \"'a'\"", "SELECT 'a'"), ("SELECT \"1\"", "SELECT 1"),
        ])
    func quotedWords(_ one: String, _ other: String) {
        #expect(SQLTokens.normalize(one) != SQLTokens.normalize(other))
    }

    @Test("Normalising twice changes nothing")
    func idempotent() {
        // Without quotes, a byte order mark is white space.
        let sql = ["CREATE TABLE \"T\" (a -- x\n)", "SELECT 'It''s' || X'0A' ;;", "SELECT \"\u{FEFF}a\""]
        for sql in sql {
            let once = SQLTokens.normalize(sql)
            #expect(SQLTokens.normalize(once) == once)
        }
    }
}
