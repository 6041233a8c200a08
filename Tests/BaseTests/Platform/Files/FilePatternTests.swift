import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Patterns of file names")
struct FilePatternTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let files = FileManager.default
        for path in ["a", "b/c", "b/.d", "e f", "loop"] {
            try files.createDirectory(atPath: folder.path.appending(path).string, withIntermediateDirectories: true)
        }
        for name in [
            "1.db", "10.db", "2.db", ".hidden.db", "x", "ä.db", "[1].db", "a/1.db", "b/2.db",
            "b/c/3.db", "b/.d/4.db", "e f/5 6.db",
        ] { try Bytes.write([], to: folder.path.appending(name)) }
        try files.createSymbolicLink(atPath: folder.file("loop/again").string, withDestinationPath: "..")
        try files.createSymbolicLink(atPath: folder.file("link.db").string, withDestinationPath: "1.db")
        try files.createSymbolicLink(atPath: folder.file("dangling.db").string, withDestinationPath: "nowhere")
    }

    private func expand(_ pattern: String) throws -> [String] {
        try FilePattern("\(folder.path)/\(pattern)").files().map {
            String($0.string.dropFirst(folder.path.string.count + 1))
        }
    }

    @Test("Stars and question marks, in any component, sorted by bytes")
    func patterns() throws {
        #expect(
            try expand("*.db") == ["1.db", "10.db", "2.db", "[1].db", "link.db", "ä.db"])
        #expect(try expand("?.db") == ["1.db", "2.db", "ä.db"])
        #expect(try expand("1*.db") == ["1.db", "10.db"])
        #expect(try expand("*/*.db") == ["a/1.db", "b/2.db", "e f/5 6.db"])
        #expect(try expand("?/?.db") == ["a/1.db", "b/2.db"])
        #expect(try expand("e*/5*6.db") == ["e f/5 6.db"])
        #expect(try expand("*") == ["1.db", "10.db", "2.db", "[1].db", "link.db", "x", "ä.db"])
        #expect(try expand(".h*") == [".hidden.db"])
        #expect(try expand("b/.*/*.db") == ["b/.d/4.db"])
        #expect(try expand("a/../*0.db") == ["a/../10.db"])
    }

    @Test("Two stars stand for any number of folders, and follow no links")
    func recursion() throws {
        let all = try expand("**/*.db")
        #expect(
            all == ["1.db", "10.db", "2.db", "[1].db", "a/1.db", "b/2.db", "b/c/3.db", "e f/5 6.db", "link.db", "ä.db"])
        #expect(try expand("**/**/*.db") == all)
        #expect(try expand("b/**") == ["b/2.db", "b/c/3.db"])
        #expect(try expand("**/c/*") == ["b/c/3.db"])
    }

    @Test(
        "A text that is not a pattern stands for itself; a pattern that nothing matches, for nothing"
    )
    func plain() throws {
        #expect(try expand("[1].db") == ["[1].db"])
        #expect(try expand("nowhere.db") == ["nowhere.db"])
        #expect(try expand("nowhere/*.db") == [])
        #expect(try expand("x/*.db") == [])
        #expect(try expand("*.sqlite") == [])
        #expect(try FilePattern("").files().isEmpty)
    }

    @Test(
        "A name matches or does not",
        arguments: [
            ("", "", true), ("", "*", true), ("a", "", false), ("abc", "a*c", true),
            ("abc", "a?c", true), ("abc", "a*b", false), ("aab", "*ab", true),
            ("abab", "*ab", true), ("ab", "?", false), ("a*b", "a*b", true), ("👩‍👩‍👧", "?", true),
            ("abcde", "*b*d*", true), ("abcde", "*d*b*", false), ("a", "a**", true),
        ])
    func matching(name: String, pattern: String, fits: Bool) {
        #expect(FilePattern.matches(name, pattern) == fits)
    }

    @Test("Matching a pattern of many stars ends")
    func manyStars() {
        let name = String(repeating: "a", count: 250)
        #expect(!FilePattern.matches(name, String(repeating: "*a", count: 100) + "b"))
    }
}
