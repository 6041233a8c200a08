import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("SQL tokens")
struct SQLTokensTests {
    private func tokens(_ sql: String) -> [String] {
        let bytes = Array(sql.utf8)
        return SQLTokens(sql).map { String(decoding: bytes[$0.range], as: UTF8.self) }
    }

    private func kinds(_ sql: String) -> [SQLTokens.Token.Kind] {
        SQLTokens(sql).map(\.kind).filter { $0 != .space }
    }

    @Test(
        "The tokens of any text cover its bytes, in order and without gaps",
        arguments: [
            "", "SELECT 1", "'", "''", "'''", "\"", "[", "`", "x'", "X'ab", "/*", "/*/", "/**/",
            "--",
            "-", "/", ".", ".5", "5.", "1e", "1e+", "0x", "?", ":", "@", "#", "$", "\0",
            "日本語 'é' 🔐",
            "a||b->>'$.c'<=d", "\u{B}", "\u{FEFF}SELECT", "!", "~^&|%", "{}\\", "/* * / **",
            "'a''b''''c'd'e", "\u{301}\"\u{301}\"",
        ])
    func whole(_ sql: String) {
        let ranges = SQLTokens(sql).map(\.range)
        var end = 0
        for range in ranges {
            #expect(range.lowerBound == end && !range.isEmpty)
            end = range.upperBound
        }
        #expect(end == sql.utf8.count)
    }

    @Test("A word is found in any case and anywhere, and no other text matches it")
    func word() {
        for sql in [
            "replace", "INSERT OR Replace INTO t", "x,REPLACE", "replaces replace", "(rEpLaCe)",
        ] {
            #expect(SQLTokens.hasWord("replace", in: sql), "\(sql)")
        }
        for sql in [
            "", "replac", "replaces", "'replace'", "\"replace\"", "-- replace", "/* replace */",
            "a_replace", "r eplace", "\u{12}eplace",
        ] {
            #expect(!SQLTokens.hasWord("replace", in: sql), "\(sql)")
        }
    }

    @Test("REPLACE settles conflicts, and replace() is a function")
    func replacing() {
        for sql in ["REPLACE INTO t VALUES (1)", "x UNIQUE ON CONFLICT replace)", "INSERT OR REPLACE /* ( */ INTO t"] {
            #expect(SQLTokens.mayReplace(sql), "\(sql)")
        }
        for sql in ["SET a = replace(a, ' ', '')", "SELECT Replace /* so */ (a, b, c), 'replace'"] {
            #expect(!SQLTokens.mayReplace(sql), "\(sql)")
        }
    }

    @Test("Random text is tokenised completely, and no literal survives its redaction") func random() {
        var generator = SplitMix64(state: 7)
        let alphabet = Array("'\"`[]-/*x0.e+? \n;é\0".unicodeScalars)
        for _ in 0..<2000 {
            var sql = ""
            for _ in 0..<Int.random(in: 0..<24, using: &generator) {
                sql.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
            }
            #expect(SQLTokens(sql).reduce(0) { $0 + $1.range.count } == sql.utf8.count)
            let left = SQLTokens(SQLTokens.redact(sql)).map(\.kind)
            #expect(!left.contains { [.string, .blob, .number, .comment].contains($0) }, "\(sql)")
        }
    }

    @Test("Strings, quoted names, blobs and comments end where SQLite ends them")
    func ends() {
        #expect(tokens("'a''b'c") == ["'a''b'", "c"])
        #expect(tokens("\"a\"\"b\"c") == ["\"a\"\"b\"", "c"])
        #expect(tokens("`a``b`c") == ["`a``b`", "c"])
        #expect(tokens("[a[b]c") == ["[a[b]", "c"])
        #expect(tokens("x'00'X'FF'x") == ["x'00'", "X'FF'", "x"])
        #expect(tokens("/* a /* b */c") == ["/* a /* b */", "c"])
        #expect(tokens("/*/*/c") == ["/*/*/", "c"])
        #expect(tokens("/**/c/***/") == ["/**/", "c", "/***/"])
        #expect(tokens("-- a\nb") == ["-- a", "\n", "b"])
        #expect(tokens("--\r\nb").first == "--\r")
    }

    @Test("Numbers and operators are complete tokens, and no longer")
    func numbers() {
        #expect(tokens("1.5e-3+2") == ["1.5e-3", "+", "2"])
        #expect(tokens("1E+3-.5") == ["1E+3", "-", ".5"])
        #expect(tokens("0xFF-1") == ["0xFF", "-", "1"])
        #expect(tokens("1_000*2") == ["1_000", "*", "2"])
        #expect(tokens("a.b") == ["a", ".", "b"])
        #expect(tokens("a1.b2") == ["a1", ".", "b2"])
        #expect(tokens("a<=b||c<>d") == ["a", "<=", "b", "||", "c", "<>", "d"])
    }

    // In `0x1e+5` the e is a digit, not an exponent.
    @Test("A hexadecimal number that ends in e is not an exponent")
    func hexadecimalEnd() {
        #expect(tokens("0x1e+5") == ["0x1e", "+", "5"])
        #expect(SQLTokens.normalize("0x1E+5") == SQLTokens.normalize("0x1E + 5"))
    }

    @Test("Each kind of token is recognised")
    func kinds() {
        #expect(
            kinds("SELECT 'a', x'00', 1, \"n\", [n], `n`, ?1, :a, @b, -- c\n/* d */ Ünï$_1;")
                == [
                    .word, .string, .symbol, .blob, .symbol, .number, .symbol, .quotedName, .symbol,
                    .quotedName, .symbol, .quotedName, .symbol, .variable, .symbol, .variable,
                    .symbol, .variable, .symbol, .comment, .comment, .word, .symbol,
                ])
        #expect(kinds("xylophone X x1") == [.word, .word, .word])
    }
}
