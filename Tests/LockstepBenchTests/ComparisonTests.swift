import SystemPackage
import TestSupport
import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("Programs run in turns")
struct ComparisonTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Writes a peer that prints a given answer, and records its calls in a file.
    private func peer(_ name: String, _ outcome: Outcome?, exit code: Int = 0) throws {
        let answer = try outcome.map { try JSON.line($0) } ?? "no outcome"
        let script = """
            #!/bin/sh
            if [ "$1" = list ]; then
                echo '{"peer":"\(name)","encrypted":false,"workloads":{"insert":["plain"],"new":[]}}'
                exit 0
            fi
            echo \(name) >>'\(folder.file("calls"))'
            echo '\(answer)'
            echo 'why it failed' >&2
            exit \(code)
            """
        try ProgramFile.write(script, to: folder.file("\(name)-peer"))
    }

    private func compare(repetitions: Int = 2) async throws -> [Round] {
        let programs = try await PeerProgram.find(in: folder.path)
        let request = Outcomes.request()
        return try await Comparison(
            programs: programs,
            items: [Comparison.Item(workload: .insert, synchronous: .normal)],
            sizes: Sizes(rows: request.rows), repetitions: repetitions,
            cacheBytes: request.cacheBytes,
            folder: folder.file("scratch")
        ).run()
    }

    @Test("Peers run in turns, none always first, and every run is kept")
    func turns() async throws {
        try peer("one", Outcomes.good(peer: "one", cpu: 1000))
        try peer("two", Outcomes.good(peer: "two", cpu: 3000))
        try folder.write("notes.txt", "no peer")
        try folder.write("plain-peer", "not executable")
        let round = try #require(try await compare(repetitions: 3).first)
        #expect(round.series.map(\.peer) == ["one", "two"])
        #expect(round.series.map(\.outcomes.count) == [3, 3])
        #expect(Spread(round.series[1].cpu)?.median == 300)
        let calls = String(decoding: try Bytes.read(folder.file("calls")), as: UTF8.self)
        #expect(calls == "one\ntwo\ntwo\none\none\ntwo\n")
    }

    @Test("A peer that skipped work is not compared")
    func skippedWork() async throws {
        var lazy = Outcomes.good(peer: "lazy")
        lazy.checksum = "00000000deadbeef"
        try peer("good", Outcomes.good(peer: "good"))
        try peer("lazy", lazy)
        let error = await #expect(throws: BenchError.self) { try await compare() }
        #expect(error?.message.contains("lazy (plain) in insert did not read") == true)
    }

    @Test("A peer that ran with weaker settings is not compared")
    func softerSettings() async throws {
        var soft = Outcomes.good(peer: "soft")
        soft.settings.synchronous = "off"
        try peer("soft", soft)
        let error = await #expect(throws: BenchError.self) { try await compare() }
        #expect(error?.message.contains("synchronous off instead of") == true)
    }

    @Test("A peer with an invalid answer is not compared")
    func nonsense() async throws {
        try peer("mad", nil)
        let error = await #expect(throws: BenchError.self) { try await compare() }
        #expect(error?.message.contains("mad did not print an outcome") == true)
    }

    @Test("A peer's failure is reported in its own words")
    func failure() async throws {
        try peer("ill", Outcomes.good(peer: "ill"), exit: 3)
        let error = await #expect(throws: BenchError.self) { try await compare() }
        #expect(error?.message.contains("ill insert --path failed") == true)
        #expect(error?.message.contains("why it failed") == true)
    }

    @Test("A folder without peers, or with two of the same name, is reported")
    func folders() async throws {
        let empty = await #expect(throws: BenchError.self) { try await compare() }
        #expect(empty?.message.contains("there is no peer in") == true)
        let missing = await #expect(throws: BenchError.self) {
            try await PeerProgram.find(in: folder.file("nowhere"))
        }
        #expect(missing?.message.contains("cannot be read") == true)
        try peer("lockstep", Outcomes.good(peer: "lockstep"))
        let twice = await #expect(throws: BenchError.self) { try await compare() }
        #expect(twice?.message.contains("same name") == true)
    }

    @Test("A peer's name cannot lead out of the scratch folder", arguments: ["../up", "", "A"])
    func names(_ name: String) {
        #expect(throws: BenchError.self) {
            try PeerProgram.list(#"{"peer":"\#(name)","encrypted":true,"workloads":{}}"#, of: "x-peer")
        }
    }
}
