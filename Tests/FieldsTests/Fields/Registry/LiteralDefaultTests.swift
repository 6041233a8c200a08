import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// The part of a column's default that enters generated SQL: literals, written again from their parsed form.
struct LiteralDefaultTests {
    @Test(
        "every form of a literal is understood, and written in one way",
        arguments: [
            ("0", "0"), ("42", "42"), ("-42", "-42"), ("+42", "+42"), ("- 42", "-42"),
            ("-\n/* minus */ 7", "-7"), ("1.5", "1.5"), (".5", ".5"), ("5.", "5."),
            ("1e5", "1e5"), ("1.5E-3", "1.5E-3"), ("-1e+5", "-1e+5"), ("9e999", "9e999"),
            ("0x1F", "0x1F"), ("-0X10", "-0X10"), ("9223372036854775808", "9223372036854775808"),
            ("'text'", "'text'"), ("''", "''"), ("'it''s'", "'it''s'"), ("''''", "''''"),
            ("'-- no comment'", "'-- no comment'"), ("'a)b'", "'a)b'"),
            ("'lockstep_open(0)'", "'lockstep_open(0)'"),
            ("x'AB01'", "x'ab01'"), ("X'ab01'", "x'ab01'"), ("x''", "x''"),
            ("NULL", "NULL"), ("null", "NULL"), ("True", "TRUE"), ("FALSE", "FALSE"),
            ("CURRENT_TIME", "CURRENT_TIME"), ("current_date", "CURRENT_DATE"),
            ("Current_Timestamp", "CURRENT_TIMESTAMP"),
            ("(7)", "7"), ("((7))", "7"), ("( -7 )", "-7"), ("('a')", "'a'"),
            ("/* ( */ 7 -- )", "7"), ("(7 /* ) */)", "7"), ("\u{FEFF}7", "7"),
        ])
    func literals(text: String, sql: String) {
        #expect(LiteralDefault(text)?.sql == sql)
    }

    @Test("a quote with a combining mark after it stays a quote")
    func combiningMark() {
        #expect(LiteralDefault("'a''\u{301}b'")?.sql == "'a''\u{301}b'")
        #expect(LiteralDefault("'a'\u{301}") == nil)
    }

    @Test(
        "anything else is not a literal",
        arguments: [
            "", "()", "(", "1 + 1", "(1)(2)", "('a') || ('b')", "'a' 'b'", "1, 2", "(1, 2)",
            "- 'a'", "-x'00'", "--5", "- -5", "+-5", "-(5)", "-NULL", "1_000", "1e", "0x", "0xG",
            "x'A'", "x'0g'", "'open", "word", "\"word\"", "[word]", "`word`", "\"NULL\"",
            "abs(1)", "lockstep_open(0, x'F9', 1)", "(lockstep_seal(0, 'a', 1))",
            "(SELECT 1)", "CASE WHEN 1 THEN 2 END", "?", "?1", ":a", "NEW.title", "random()",
            "CURRENT_USER", "inf", "nan", "1 --\n+ 1", "'a' COLLATE NOCASE", "1; DROP TABLE film",
        ])
    func others(text: String) {
        #expect(LiteralDefault(text) == nil, "\(LiteralDefault(text)?.sql ?? "")")
    }

    @Test("to SQLite, the rewritten literal means what the default meant")
    func meaning() throws {
        let connection = try Connection.inMemory()
        let texts = [
            "42", "- 42", "1.5E-3", "9e999", "0x1F", "'it''s'", "'\u{301}'", "X'AB'", "(-7)",
            "TRUE", "NULL", "((( 'a' )))", "-9223372036854775808",
        ]
        for (number, text) in texts.enumerated() {
            let sql = try #require(LiteralDefault(text)?.sql)
            try connection.execute("CREATE TABLE t\(verbatim: "\(number)") (a, b DEFAULT \(verbatim: text))")
            try connection.execute("INSERT INTO t\(verbatim: "\(number)") (a) VALUES (1)")
            let meant = try connection.value(
                "SELECT typeof(b) || quote(b) FROM t\(verbatim: "\(number)")", as: String.self)
            let written = try connection.value(
                "SELECT typeof(b) || quote(b) FROM (SELECT \(verbatim: sql) AS b)",
                as: String.self)
            #expect(meant == written, "\(text)")
        }
    }
}
