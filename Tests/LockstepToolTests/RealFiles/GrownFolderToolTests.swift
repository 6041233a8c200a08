import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// A folder of years, through the tool from end to end.
@Suite("A folder that has grown")
struct GrownFolderToolTests {
    @Test(
        "One plan of 310 versions writes all declarations that they need, and they run with these")
    func declared() async throws {
        let grown = GrownFolder(seed: 13, versions: 310)
        #expect(grown.needed.count == 30)
        let folder = try TemporaryFolder()
        let place = folder.file("m")
        try FileManager.default.createDirectory(atPath: place.string, withIntermediateDirectories: false)
        for (index, script) in grown.scripts.enumerated() {
            try Bytes.write(Array("-- lockstep: up\n\(script)\n".utf8), to: place.appending("\(index + 1)_step.sql"))
        }
        let counts = grown.counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let query = grown.counts.keys.sorted().map { "SELECT '\($0) ' || count(*) FROM \($0)" }
        let script = """
            set -eu
            export LOCKSTEP_KEY_FILE=k LOCKSTEP_MIGRATIONS=m
            lockstep keys create-key-file k >out
            lockstep init >out
            lockstep migrate --to \(grown.first) >out
            lockstep plan --brief --write-declare needed >out 2>&1 || echo "plan $?"
            lockstep plan --brief --declare-file needed >out 2>&1 || echo "plan $?"
            lockstep migrate --declare-file needed 2>out | grep -c '^up '
            lockstep verify --declare-file needed | tail -n 1
            cat needed
            lockstep query "\(query.joined(separator: " UNION ALL "))" | tail -n +2 | sort
            """
        let result = try await ToolShell(home: folder.path).run(script, in: folder.path)
        #expect(result.status == .exited(0) && result.errors == "", "\(result.errors)")
        var lines = result.text.split(separator: "\n").map(String.init)
        let ends = ["plan 9", "plan 3", "\(grown.scripts.count - grown.first)", "verified: everything holds"]
        #expect(Array(lines.prefix(4)) == ends)
        lines.removeFirst(min(4, lines.count))
        #expect(Set(lines.prefix(30)) == Set(grown.needed))
        #expect(Set(lines.dropFirst(30)) == Set(counts), "\(lines.dropFirst(30))")
    }
}
