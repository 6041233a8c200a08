import SystemPackage
import Testing

@testable import EngineTestSupport
@testable import Lockstep

struct PercentEncodedPathTests {
    @Test("Paths of any bytes have one spelling")
    func paths() throws {
        for (path, spelled) in [
            ("films.db", "films.db"), ("../a b.db", "../a%20b.db"), ("/srv/é-1", "/srv/%C3%A9%2D1"),
            ("..a/.b", "..a/.b"), ("100%", "100%25"), ("a\nb", "a%0Ab"),
        ] as [(FilePath, String)] {
            #expect(PercentEncodedPath.encode(path) == spelled)
            #expect(PercentEncodedPath.decode(spelled) == path)
        }
        // A name need not be UTF-8.
        let path = try #require(PercentEncodedPath.decode("a/%FF%C3.db"))
        #expect(PercentEncodedPath.encode(path) == "a/%FF%C3.db")
        #expect(path != FilePath("a/\u{FFFD}\u{FFFD}.db"))
    }

    @Test(
        "Nothing but the shortest spelling is read",
        arguments: [
            "", "/", ".", "..", "./a", "a/.", "a/./b", "a/../b", "a/..", "../../a", "/../a", "a//b", "//a", "a/", "a-b",
            "a b", "%c3%A9", "%61", "%2F", "%2E", "%00", "a%00b", "%", "%4", "%+1", "file:a", "é",
        ])
    func refused(_ spelled: String) {
        #expect(PercentEncodedPath.decode(spelled) == nil)
    }

    @Test("A path has at most 4096 bytes")
    func longest() {
        let long = "/" + String(repeating: "a", count: 4095)
        #expect(PercentEncodedPath.decode(long) != nil)
        #expect(PercentEncodedPath.decode(long + "a") == nil)
    }
}
