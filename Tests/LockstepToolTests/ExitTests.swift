import ArgumentParser
import SystemPackage
import TestSupport
import Testing

@testable import LockstepTool

@Suite("Exit codes")
struct ExitTests {
    @Test("The table of the documentation is the tool's")
    func documented() throws {
        let page = Programs.package.appending("Sources/Lockstep/Lockstep.docc/Start/TheTool.md")
        let text = String(decoding: try Bytes.read(page), as: UTF8.self)
        let rows = text.split(separator: "\n").drop {
            $0 != "| code | meaning | | code | meaning |"
        }
        .dropFirst(2).prefix { $0.hasPrefix("|") }
        let cells = rows.map { row in
            row.split(separator: "|", omittingEmptySubsequences: false).map {
                Substring($0.replacing("`", with: "")).trimmed
            }
        }
        // Two columns of codes, the second after an empty one.
        let table = [1, 4].flatMap { column in
            cells.compactMap { row in
                row[column].isEmpty ? nil : "\(row[column]) \(row[column + 1])"
            }
        }
        #expect(table == Exit.allCases.map { "\($0.rawValue) \($0.meaning)" })
    }

    @Test("Help names each code")
    func help() {
        let words = LockstepCommand.helpMessage(columns: 10_000)
        #expect(words.contains("Exit codes: 0 done; 1 failed; 3 migrations are pending; "))
        #expect(words.contains("; 74 I/O error; 75 the server cannot be reached; try again."))
    }
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
