import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("SQL cursor")
struct SQLCursorTests {
    @Test("Words are read in any case, and only if all of them follow")
    func words() throws {
        var cursor = SQLCursor("Create /* a */ TABLE -- b\n\"create\" (a)")
        let taken = [cursor.take("create", "index"), cursor.take("create", "table"), cursor.take("create")]
        #expect(taken == [false, true, false])
        #expect(cursor.peek().isEmpty && cursor.peek(1) == "(" && cursor.peek(9).isEmpty)
        let (name, inner) = (try cursor.name(), try cursor.group())
        #expect(name == "Create" && inner.map(\.text) == ["a"] && cursor.isAtEnd)
        #expect(throws: SQLCursor.Unexpected.self) { try cursor.next() }
    }

    @Test(
        "A name can be quoted in any way, and a schema can precede it",
        arguments: ["t", "\"t\"", "[T]", "`t`", "'t'", "main.t", "\"main\" . T"])
    func objectName(_ sql: String) throws {
        var cursor = SQLCursor(sql)
        let name = try cursor.objectName()
        #expect(name == "t" && cursor.isAtEnd && cursor.end == sql.utf8.count)
    }

    @Test("A number, a symbol and the end are no names", arguments: ["1", "(", "", "main.", "?1"])
    func noName(_ sql: String) {
        var cursor = SQLCursor(sql)
        #expect(throws: SQLCursor.Unexpected.self) { try cursor.objectName() }
    }

    @Test("A group ends at its own parenthesis, and an open one is refused")
    func groups() throws {
        var cursor = SQLCursor("(a, (b), ')') c")
        let inner = try cursor.group()
        #expect(inner.map(\.text) == ["a", ",", "(", "b", ")", ",", "')'"])
        #expect(cursor.peek() == "c")
        var open = SQLCursor("(a (b)")
        #expect(throws: SQLCursor.Unexpected.self) { try open.group() }
    }

    @Test("A word is found outside parentheses, and not after a dot")
    func upTo() throws {
        var cursor = SQLCursor("new.when (when) WHEN a")
        let (before, after) = (try cursor.upTo("when"), cursor.rest())
        #expect(before.map(\.text) == ["new", ".", "when", "(", "when", ")"])
        #expect(after.map(\.text) == ["a"])
    }

    @Test("Only the remaining tokens are searched, and the search needs all words in a row") func search() {
        var cursor = SQLCursor("a NOT b, \"Not\" NULL not null")
        #expect(cursor.contains("not", "null") && !cursor.contains("not", "not"))
        #expect(cursor.mentions("NOT") && cursor.mentions("A"))
        let isTaken = cursor.take("a")
        #expect(isTaken && !cursor.mentions("a") && !cursor.contains("null", "a"))
    }

    @Test("Reading can begin at an offset and end early; positions count from the start") func bounds() {
        let sql = Array("a; b c d".utf8)
        let cursor = SQLCursor(sql, from: 2, limit: 2)
        #expect(cursor.tokens.map(\.text) == ["b", "c"])
        #expect(cursor.tokens.map(\.range) == [3..<4, 5..<6])
        #expect(SQLCursor("a -- b", comments: true).tokens.count == 2)
    }
}
