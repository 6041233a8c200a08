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

    /// A build whose runs have this done to their line by sed.
    private func build(changing change: String) throws -> FilePath {
        try build(
            """
            if [ "$1" = run ]; then
                '\(Programs.path("lockstep-bench"))' "$@" | sed '\(change)'
                exit
            fi
            """)
    }

    private func bench(_ arguments: [String]) async throws -> (out: String, err: String) {
        let result = try await Subprocess.run(
            .path(Programs.path("lockstep-bench")),
            arguments: Arguments(
                ["compare", "point", "--rows", "50", "--operations", "20", "--repetitions", "3"]
                    + ["--folder", folder.path.string, "--label", "before"] + arguments),
            output: .string(limit: 1_000_000), error: .string(limit: 1_000_000))
        return (result.standardOutput, result.standardError)
    }

    private func differences(_ line: String) throws -> [Change.Difference] {
        let report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
        return try #require(report.changes).map(\.cpu.difference)
    }

    @Test("A build that takes more CPU time than another is slower")
    func slower() async throws {
        let other = try build(changing: #"s/"cpuNanoseconds":[0-9]*/"cpuNanoseconds":1/"#)
        let chart = folder.file("chart.svg")
        let (line, _) = try await bench(
            ["--against", other.string, "--format", "json", "--chart", chart.string])
        #expect(try differences(line) == Array(repeating: .slower, count: PointWorkload.variants.count))
        let drawn = String(decoding: try Bytes.read(chart), as: UTF8.self)
        #expect(drawn.contains("before async"))
        let text = try await bench(["--against", other.string]).out
        #expect(text.contains("changes since before"))
    }

    @Test("A build that takes less is faster")
    func faster() async throws {
        // Six more digits: no load on the machine does that.
        let other = try build(changing: #"s/"cpuNanoseconds":/&100000/"#)
        let (line, _) = try await bench(["--against", other.string, "--format", "json"])
        #expect(try differences(line) == Array(repeating: .faster, count: PointWorkload.variants.count))
    }

    @Test("A build with other settings, or with another library, is refused")
    func refused() async throws {
        for (change, reason) in [
            ("s/\"synchronous\":\"normal\"/\"synchronous\":\"off\"/", "different settings"),
            ("s/\"cacheBytes\":[0-9]*/\"cacheBytes\":1/", "different settings"),
            ("s/SQLCipher [0-9]*/SQLCipher 3/", "different versions"),
            ("s/\"checksum\":\"..../\"checksum\":\"0000/", "did not read the expected rows"),
        ] {
            let other = try build(changing: change)
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
