import SystemPackage
import TestSupport
import Testing

/// An article's code, and its copy in a test that compiles and runs it.
enum Tutorial {
    /// Expects that the article's Swift code equals the part between `// tutorial:` and `// end` in the test's file.
    static func expect(
        _ article: String, in file: String = #filePath, longest: Int = 40,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let path = Programs.package.appending("Sources/LockstepModels/LockstepModels.docc")
            .appending("\(article).md")
        let shown = lines(try Bytes.read(path), between: "```swift", and: "```")
            .filter { !$0.hasPrefix("import ") }
        let run = lines(try Bytes.read(FilePath(file)), between: "// tutorial:", and: "// end")
        #expect(!run.isEmpty && shown.count < longest, sourceLocation: sourceLocation)
        #expect(
            shown.drop { $0.isEmpty }.map { $0 } == unindented(run), sourceLocation: sourceLocation)
    }

    private static func lines(
        _ bytes: [UInt8], between start: String, and end: String
    ) -> [String] {
        String(decoding: bytes, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            .drop { $0.drop { $0 == " " } != start }.dropFirst()
            .prefix { $0.drop { $0 == " " } != end }
    }

    private static func unindented(_ lines: [String]) -> [String] {
        let indents = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }
        return lines.map { String($0.dropFirst(indents.min() ?? 0)) }
    }
}
