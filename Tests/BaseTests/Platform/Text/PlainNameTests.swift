import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Plain names")
struct PlainNameTests {
    @Test(
        "What is safe in a file's name",
        arguments: ["a", "0", "-", "key-file-2", String(repeating: "z", count: 32)])
    func valid(name: String) { #expect(PlainName.isValid(name)) }

    @Test(
        "What is not",
        arguments: [
            "", "A", "a b", "a/b", "..", "a.b", "ä", "a\n", "٣", String(repeating: "z", count: 33),
        ])
    func invalid(name: String) { #expect(!PlainName.isValid(name)) }

    @Test(
        "A plain name is derived from any with an ASCII letter or digit",
        arguments: [
            ("Migrations", "migrations"), ("Film_DB", "film-db"), ("a  b..c", "a-b-c"),
            ("-x-", "x"), ("Müller", "m-ller"), ("ΩΜ", ""), ("", ""), ("__", ""),
            (String(repeating: "a", count: 31) + " b", String(repeating: "a", count: 31)),
        ])
    func derived(text: String, name: String) {
        #expect(PlainName.derived(from: text) == name)
        #expect(name.isEmpty || PlainName.isValid(name))
    }
}
