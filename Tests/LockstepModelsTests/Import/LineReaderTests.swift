import SystemPackage
import TestSupport
import Testing

@testable import LockstepModels

@Suite("Lines of a file")
struct LineReaderTests {
    private func lines(_ bytes: [UInt8], longest: Int = LineReader.longestLine) throws -> [String] {
        let folder = try TemporaryFolder()
        var reader = try LineReader(folder.write("file", bytes), longest: longest)
        var lines: [String] = []
        while let line = try reader.next() {
            switch line {
            case .bytes(let bytes): lines.append(String(decoding: bytes, as: UTF8.self))
            case .tooLong: lines.append("TOO LONG")
            }
        }
        return lines
    }

    @Test(
        "Line endings of every kind",
        arguments: [
            ("", []), ("\n", [""]), ("a", ["a"]), ("a\n", ["a"]), ("a\r\nb\r\n", ["a", "b"]), ("a\nb", ["a", "b"]),
            ("a\n\nb\n", ["a", "", "b"]), ("a\rb\n", ["a\rb"]), ("\u{FEFF}a\nb\n", ["a", "b"]), ("\u{FEFF}", [""]),
            ("a\n\u{FEFF}b", ["a", "\u{FEFF}b"]),
            ("\r\n\r\n", ["", ""]),
        ] as [(String, [String])])
    func endings(text: String, expected: [String]) throws {
        #expect(try lines(Array(text.utf8)) == expected)
    }

    @Test(
        "Lines around the size of the buffer", arguments: [65_534, 65_535, 65_536, 65_537, 200_000])
    func bufferSizes(length: Int) throws {
        let long = String(repeating: "x", count: length)
        #expect(try lines(Array("\(long)\r\nshort\r\n\(long)".utf8)) == [long, "short", long])
    }

    @Test("A line that would exhaust the memory is reported and skipped")
    func tooLong() throws {
        let long = [UInt8](repeating: UInt8(ascii: "x"), count: 400_000)
        #expect(try lines(Array("a\n".utf8) + long + Array("\nb\n".utf8), longest: 100_000) == ["a", "TOO LONG", "b"])
        #expect(try lines(long, longest: 100_000) == ["TOO LONG"])
        #expect(try lines(long, longest: 400_000).map(\.count) == [400_000])
    }
}
