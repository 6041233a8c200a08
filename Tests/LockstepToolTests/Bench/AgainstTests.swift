import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import LockstepBench

@Suite("The built harness, compared with another build of itself")
struct AgainstTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A program that runs lockstep-bench after some lines of shell.
    private func build(_ lines: String) throws -> FilePath {
        let file = folder.file("other-bench")
        let script = "#!/bin/sh\n\(lines)\nexec '\(Programs.path("lockstep-bench"))' \"$@\"\n"
        try ProgramFile.write(script, to: file)
        return file
    }

    private func bench(
        _ arguments: [String], slowedDown: Bool = false
    ) async throws -> (out: String, err: String) {
        let slow = Environment.Key(rawValue: SlowDown.variable)
        let result = try await Subprocess.run(
            .path(Programs.path("lockstep-bench")),
            arguments: Arguments(
                ["compare", "point", "--rows", "50", "--operations", "20", "--repetitions", "3"]
                    + ["--folder", folder.path.string, "--label", "before"] + arguments),
            environment: .inherit.updating([try #require(slow): slowedDown ? "20000" : nil]),
            output: .string(limit: 1_000_000), error: .string(limit: 1_000_000))
        return (result.standardOutput, result.standardError)
    }

    private func differences(_ line: String) throws -> [Change.Difference] {
        let report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
        return try #require(report.changes).map(\.cpu.difference)
    }

    /// 20 ms per operation, where one takes some microseconds: no other load on the machine hides that.
    @Test("A deliberately slowed build is slower, and the report says so")
    func slower() async throws {
        let other = try build("unset \(SlowDown.variable)")
        let chart = folder.file("chart.svg")
        let (line, _) = try await bench(
            ["--against", other.string, "--format", "json", "--chart", chart.string],
            slowedDown: true)
        #expect(try differences(line) == [.slower, .slower])
        #expect(line.contains(#""slowedDownMicroseconds":20000"#))
        let drawn = String(decoding: try Bytes.read(chart), as: UTF8.self)
        #expect(drawn.contains("lockstep WAS SLOWED DOWN ON PURPOSE"))
        #expect(drawn.contains("before async"))
        let text = try await bench(["--against", other.string], slowedDown: true).out
        #expect(text.contains("lockstep WAS SLOWED DOWN ON PURPOSE, by 20000 µs"))
        #expect(text.contains("changes since before"))
    }

    @Test("Beside a slowed build ours is faster")
    func faster() async throws {
        let other = try build("export \(SlowDown.variable)=20000")
        let (line, _) = try await bench(["--against", other.string, "--format", "json"])
        #expect(try differences(line) == [.faster, .faster])
    }

    @Test("A build with other settings, or with another library, is refused")
    func refused() async throws {
        for (change, reason) in [
            ("s/\"synchronous\":\"normal\"/\"synchronous\":\"off\"/", "different settings"),
            ("s/\"cacheBytes\":[0-9]*/\"cacheBytes\":1/", "different settings"),
            ("s/SQLCipher [0-9]*/SQLCipher 3/", "different versions"),
            ("s/\"checksum\":\"..../\"checksum\":\"0000/", "did not read the expected rows"),
        ] {
            let other = try build(
                """
                if [ "$1" = run ]; then
                    '\(Programs.path("lockstep-bench"))' "$@" | sed '\(change)'
                    exit
                fi
                """)
            let (out, err) = try await bench(["--against", other.string])
            #expect(out.isEmpty)
            #expect(err.contains(reason), "\(err)")
        }
    }

    @Test("A program that is not our build, or a name that is taken, is refused")
    func noBuild() async throws {
        let missing = try await bench(["--against", folder.file("none").string])
        #expect(missing.err.contains("could not be listed") || missing.err.contains("none"))
        let old = try build(#"[ "$1" = list ] && { echo usage >&2; exit 64; }"#)
        let error = try await bench(["--against", old.string]).err
        #expect(error.contains("use a newer commit"), "\(error)")
        let peer = try build(#"echo '{"peer":"grdb","encrypted":false,"workloads":{}}'; exit"#)
        #expect(try await bench(["--against", peer.string]).err.contains("not a lockstep-bench"))
        let same = try await bench(["--against", try build("").string, "--label", "lockstep"])
        #expect(same.err.contains("same name"), "\(same.err)")
        let up = try await bench(["--against", try build("").string, "--label", "../up"])
        #expect(up.err.contains("lower-case letters"), "\(up.err)")
    }

    @Test(
        "The switch takes whole microseconds and nothing else",
        arguments: ["", "0", "-1", "1.5", "fast"])
    func switches(_ text: String) {
        let error = #expect(throws: BenchError.self) { try SlowDown.parse(text) }
        #expect(error?.message.contains(SlowDown.variable) == true)
    }

    @Test("The program can run everything that it lists")
    func list() async throws {
        let result = try await Subprocess.run(
            .path(Programs.path("lockstep-bench")), arguments: ["list"],
            output: .string(limit: 65_536), error: .discarded)
        let abilities = try PeerProgram.list(result.standardOutput, of: "lockstep-bench")
        #expect(abilities == PeerProgram.Abilities.own)
        #expect(abilities.encrypted)
    }
}
