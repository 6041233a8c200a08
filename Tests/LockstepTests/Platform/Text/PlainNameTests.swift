import Testing

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
}
