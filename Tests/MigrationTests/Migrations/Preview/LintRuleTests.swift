import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("Lint rules")
struct LintRuleTests {
    @Test("The article lists every rule with its summary, in order")
    func article() throws {
        let path = "Sources/Lockstep/Lockstep.docc/Migrating.md"
        let text = String(
            decoding: try Bytes.read(Programs.package.appending(path)), as: UTF8.self)
        let table = text.split(separator: "| lint rule | reports |\n|---|---|\n")
        try #require(table.count == 2)
        let lines = table[1].split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.prefix { $0.hasPrefix("|") }.map(String.init)
                == LintRule.allCases.map { "| `\($0.rawValue)` | \($0.summary) |" })
    }
}
