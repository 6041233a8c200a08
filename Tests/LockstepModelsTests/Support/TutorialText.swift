import SystemPackage
import TestSupport
import Testing

/// Compares the Swift code of a tutorial with the test that runs it.
enum TutorialText {
    /// Expects that the test's source contains every line of the article's Swift code in the same order, and that
    /// there are fewer than 40.
    static func expectSame(
        _ article: String, as test: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let folder = Programs.package.appending("Sources/LockstepModels/LockstepModels.docc")
        let text = String(decoding: try Bytes.read(folder.appending(article)), as: UTF8.self)
        let block = try #require(
            text.components(between: "```swift\n", and: "```"), sourceLocation: sourceLocation)
        let code = lines(block)
        #expect((5..<40).contains(code.count), sourceLocation: sourceLocation)
        var rest = lines(String(decoding: try Bytes.read(FilePath(test)), as: UTF8.self))[...]
        for line in code {
            let place = rest.firstIndex(of: line)
            #expect(place != nil, "the test does not have: \(line)", sourceLocation: sourceLocation)
            rest = rest[((place ?? rest.startIndex - 1) + 1)...]
        }
    }

    private static func lines(_ text: String) -> [String] {
        text.split(separator: "\n").map { String($0.drop { $0 == " " }) }.filter { !$0.isEmpty }
    }
}

extension String {
    fileprivate func components(between start: String, and end: String) -> String? {
        guard let first = range(of: start), let last = self[first.upperBound...].range(of: end)
        else { return nil }
        return String(self[first.upperBound..<last.lowerBound])
    }

    private func range(of text: String) -> Range<Index>? { self[...].range(of: text) }
}

extension Substring {
    fileprivate func range(of text: String) -> Range<Index>? { ranges(of: text).first }
}
