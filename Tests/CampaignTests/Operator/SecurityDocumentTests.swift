import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// SECURITY.md says what the tests say, and names tests that exist.
@Suite("SECURITY.md")
struct SecurityDocumentTests {
    private let text: String

    init() throws {
        text = String(
            decoding: try Bytes.read(Programs.package.appending("SECURITY.md")), as: UTF8.self)
    }

    /// The first column of the table with this head.
    private func firstColumn(of head: String) -> [String] {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard let start = lines.firstIndex(where: { $0.hasPrefix("| \(head) |") }) else {
            return []
        }
        return lines[(start + 2)...].prefix { $0.hasPrefix("| ") }
            .map { String($0.dropFirst(2)).components(separatedBy: " | ")[0] }
    }

    @Test("What the tests know to be undetected is what it lists, word for word and in its order") func undetected() {
        let listed = firstColumn(of: "the operator can")
        #expect(listed.count > 10)
        #expect(listed == Undetected.allCases.map(\.rawValue))
    }

    /// The names of suites in backticks.
    private var named: Set<String> {
        Set(text.matches(of: /`([A-Z]\w+Tests)`/).map { String($0.output.1) })
    }

    @Test("Each test that it names exists")
    func names() throws {
        #expect(named.count > 30)
        let folder = Programs.package.appending("Tests").string
        let files = try #require(FileManager.default.enumerator(atPath: folder))
        var declared: Set<String> = []
        for case let path as String in files where path.hasSuffix(".swift") {
            let source = String(decoding: try Bytes.read(FilePath(folder).appending(path)), as: UTF8.self)
            declared.formUnion(
                source.matches(of: /(?:struct|class|enum) ([A-Z]\w+Tests)\b/).map {
                    String($0.output.1)
                })
        }
        #expect(named.subtracting(declared) == [])
    }
}
