import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct PercentEncodedNameTests {
    @Test("names of any characters have one spelling")
    func names() throws {
        for (name, spelled) in [
            ("film", "film"), ("Film_2", "Film_2"), ("a b", "a%20b"), ("é", "%C3%A9"),
            ("100%", "100%25"), ("a\nkey b", "a%0Akey%20b"), ("\"", "%22"), ("", ""),
        ] {
            #expect(PercentEncodedName.encode(name) == spelled)
            #expect(PercentEncodedName.decode(spelled) == name)
        }
        for spelled in [
            "%c3%a9", "%66ilm", "é", "a b", "%", "%4", "%GG", "%+1", "%C3", "%C3%28", "a-b",
        ] {
            #expect(PercentEncodedName.decode(spelled) == nil, "\(spelled)")
        }
    }
}
