import Foundation
import SystemPackage
import TestSupport

/// The samples in the documents, and their copies in the tests that compile and run them.
///
/// A copy stands between `// sample: README.md` and `// end`. It differs from its sample only in white space, imports
/// and paths: `folder.file("films.db")` stands for `"films.db"`.
enum Samples {
    /// The documents, by their paths in the package.
    static let documents =
        ["README.md", "CONTRIBUTING.md", "SECURITY.md"]
        + ["Lockstep", "LockstepModels"].flatMap { module in
            let folder = "Sources/\(module)/\(module).docc"
            let files = FileManager.default.enumerator(atPath: Programs.package.appending(folder).string)
            // Without the folder there are no samples, which is an error of a test of its own.
            return (files?.compactMap { $0 as? String } ?? [])
                .filter { $0.hasSuffix(".md") }.sorted().map { "\(folder)/\($0)" }
        }

    /// A document's samples in a language. `.ci/programs` builds the package that a manifest describes.
    static func shown(in document: String, _ language: String = "swift") throws -> [String] {
        try blocks(
            of: Programs.package.appending(document), from: "```\(language)", to: "```"
        ).filter { !$0.hasPrefix("// swift-tools-version:") }
    }

    /// The copies of a document's samples.
    static func copies(from document: String) throws -> [String] {
        let tests = Programs.package.appending("Tests")
        let name = FilePath(document).lastComponent?.string ?? document
        return try (FileManager.default.enumerator(atPath: tests.string)?.allObjects ?? [])
            .compactMap { $0 as? String }.filter {
                $0.hasSuffix(".swift") && !$0.contains("/.build/")
            }
            .flatMap {
                try blocks(of: tests.appending($0), from: "// sample: \(name)", to: "// end")
            }
    }

    /// A sample without the differences that its copy can have.
    static func essence(_ code: String) -> String {
        code.split(separator: "\n").filter { !$0.hasPrefix("import ") }.joined()
            .filter { !$0.isWhitespace }
            .replacing(#/folder\.file\(("[^"]*")\)/#) { $0.output.1 }
    }

    private static func blocks(
        of file: FilePath, from start: String, to end: String
    ) throws -> [String] {
        var blocks: [String] = []
        var lines: [Substring]?
        let text = String(decoding: try Bytes.read(file), as: UTF8.self)
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let bare = line.drop { $0 == " " }
            if let block = lines {
                lines = bare == end ? nil : block + [line]
                if bare == end { blocks.append(block.joined(separator: "\n")) }
            } else if bare == start {
                lines = []
            }
        }
        return blocks
    }
}
