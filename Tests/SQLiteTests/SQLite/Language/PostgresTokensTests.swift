import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("PostgreSQL's tokens")
struct PostgresTokensTests {
    private func tokens(_ sql: String) -> [String] {
        let bytes = Array(sql.utf8)
        return SQLTokens(bytes, from: 0, .postgres).filter { $0.kind != .space }
            .map { String(decoding: bytes[$0.range], as: UTF8.self) }
    }

    private func kinds(_ sql: String) -> [SQLTokens.Token.Kind] {
        SQLTokens(Array(sql.utf8), from: 0, .postgres).map(\.kind).filter { $0 != .space }
    }

    @Test(
        "A literal is one token, whatever it contains",
        arguments: [
            "'a;b''c'", "'\\'", "E'a\\';b'", "e'\\\\'", "$$a;'b$$", "$f$ $$;$$ $f$", "$é_1$;$é_1$",
            "B'01;'", "x'1F'", "N'a;'", "U&'\\0061;'", "E'a'\n  'b\\';'", "E'a' -- c\n'b\\';'",
        ])
    func literals(_ literal: String) {
        #expect(tokens("SELECT \(literal), 1;") == ["SELECT", literal, ",", "1", ";"])
        #expect([.string, .blob].contains(kinds(literal)[0]))
    }

    @Test("A backslash escapes nothing in a plain string, and a tag is case-sensitive")
    func plain() {
        #expect(tokens("'a\\';'") == ["'a\\'", ";", "'"])
        #expect(tokens("$A$;$a$;$A$;") == ["$A$;$a$;$A$", ";"])
        #expect(tokens("E'a' 'b\\'") == ["E'a'", "'b\\'"])
    }

    @Test("A dollar sign within a name, a parameter and a tag differ")
    func dollars() {
        #expect(tokens("a$b$c $1$2 $1a$") == ["a$b$c", "$1", "$2", "$1", "a$"])
        #expect(kinds("$12") == [.variable])
        #expect(tokens("$1;$1$;") == ["$1", ";", "$1", "$", ";"])
    }

    @Test("Comments nest, and end with a line of any ending")
    func comments() {
        #expect(kinds("/* a /* ; */ b */;") == [.comment, .symbol])
        #expect(kinds("/* /* */ ;") == [.comment])
        #expect(tokens("-- a\r;") == ["-- a", ";"])
        #expect(tokens("a--b\n;") == ["a", "--b", ";"])
        #expect(tokens("1+--b\n2") == ["1", "+", "--b", "2"])
        #expect(tokens("1*/*b*/2") == ["1", "*", "/*b*/", "2"])
    }

    @Test("An operator ends as the server ends it, so that spacing makes no difference") func operators() {
        #expect(tokens("a=-1") == ["a", "=", "-", "1"])
        #expect(tokens("a@-1") == ["a", "@-", "1"])
        #expect(tokens("a->>'b'") == ["a", "->>", "'b'"])
        #expect(tokens("a::int[1:2]") == ["a", "::", "int", "[", "1", ":", "2", "]"])
        #expect(tokens("1..10") == ["1", "..", "10"])
        #expect(tokens("x:=1e-5") == ["x", ":=", "1e-5"])
    }

    @Test("Names are words or quoted; brackets, backticks and question marks quote nothing") func names() {
        #expect(kinds("U&\"d\\0061t\" \"a;\"\"b\" é") == [.quotedName, .quotedName, .word])
        #expect(tokens("a[';']") == ["a", "[", "';'", "]"])
        #expect(tokens("a ? 'b'") == ["a", "?", "'b'"])
    }

    @Test("The tokens of any text cover its bytes, in order and without gaps")
    func random() {
        var generator = SplitMix64(state: 11)
        let alphabet = Array("'\"$eEuU&nxb\\-/*0.:+? \n\r;é\0[(".unicodeScalars)
        for _ in 0..<3000 {
            var sql = ""
            for _ in 0..<Int.random(in: 0..<28, using: &generator) {
                sql.unicodeScalars.append(alphabet[Int.random(in: 0..<alphabet.count, using: &generator)])
            }
            var end = 0
            for token in SQLTokens(Array(sql.utf8), from: 0, .postgres) {
                #expect(token.range.lowerBound == end && !token.range.isEmpty, "\(sql)")
                end = token.range.upperBound
            }
            #expect(end == sql.utf8.count, "\(sql)")
        }
    }
}
