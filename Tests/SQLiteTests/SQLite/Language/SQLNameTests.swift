import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("SQL names")
struct SQLNameTests {
    @Test(
        "Two names are equal if SQLite takes them for the same table",
        arguments: [
            ("movie", "MOVIE"), ("a b", "A B"), ("é", "é"), ("é", "É"), ("\u{E9}", "e\u{301}"),
            ("K", "\u{212A}"),
            ("[", "{"), ("@", "`"), ("a", "aa"), ("", "a"), ("z", "Z"), ("ß", "SS"), ("t_1", "T_1"),
        ])
    func equality(one: String, other: String) throws {
        let connection = try Connection.inMemory()
        if !one.isEmpty { try connection.execute("CREATE TABLE \(name: one) (a)") }
        let isSame = (try? connection.query("SELECT a FROM \(name: other)") { _ in }) != nil
        #expect((SQLName(one) == SQLName(other)) == isSame)
        #expect(Set([SQLName(one), SQLName(other)]).count == (isSame ? 1 : 2))
    }

    @Test("A name keeps its spelling, and its folded form has only ASCII letters changed") func spelling() {
        let name = SQLName("Ärger MIT É")
        #expect(name.spelling == "Ärger MIT É")
        #expect(name.folded == "Ärger mit É")
    }

    @Test("A prefix is found in any case, and the rest keeps its spelling")
    func prefix() {
        let name = SQLName("Docs_Content")
        #expect(name.hasPrefix("docs_") && name.hasPrefix("") && name.hasPrefix("DOCS_CONTENT"))
        #expect(!name.hasPrefix("docs_content_") && !name.hasPrefix("ocs"))
        #expect(name.part(after: "docs_")?.spelling == "Content")
        #expect(name.part(after: "doc_") == nil)
        // A combining mark belongs to the character before it, and not to the prefix.
        #expect(SQLName("a_\u{301}b").part(after: "A_") == "\u{301}b")
    }

    @Test("Names have the order of their folded bytes")
    func order() {
        let names: [SQLName] = ["b", "A", "é", "C", "ab"]
        #expect(names.sorted().map(\.spelling) == ["A", "ab", "b", "C", "é"])
        #expect(!(SQLName("A") < SQLName("a")) && !(SQLName("a") < SQLName("A")))
    }
}
