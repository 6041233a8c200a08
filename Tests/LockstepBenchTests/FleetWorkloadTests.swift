import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("A fleet of files as a workload")
struct FleetWorkloadTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try CorpusFolder.write(MigrationCorpus.migrations(FleetWorkload.migrations), to: folder.file("corpus"))
    }

    private func request(files: Int) throws -> RunRequest {
        RunRequest(
            workload: .fleet, variant: try FleetWorkload.variant(nil),
            path: folder.file("bench.db"), rows: 1, operations: files, cacheBytes: 1_048_576,
            synchronous: .normal, key: RunRequest.ordinaryKey, corpus: folder.file("corpus"))
    }

    private func expected(_ files: Int) throws -> String {
        try FleetWorkload.expected(Sizes(operations: files), "jobs")
    }

    @Test("Every file is encrypted and gets every migration, and the run answers as peers must") func run() throws {
        let request = try request(files: 3)
        let measured = try request.run()
        #expect(measured.operations == 3)
        #expect(try measured.hash.hex == expected(3))
        #expect(measured.settings == request.settings)
        for number in 1...3 {
            let file = FleetWorkload.file(number, beside: request.path)
            #expect(file.lastComponent?.string == "bench.db.\(number)")
            #expect(try Bytes.read(file).prefix(6) != Array("SQLite".utf8)[...])
        }
    }

    @Test("The checksum counts files and migrations")
    func checksum() throws {
        #expect(try expected(1) == CorpusDigest.expected(MigrationCorpus.migrations(FleetWorkload.migrations)))
        #expect(try expected(2) != expected(1))
    }

    /// The answer is that of the peer in C.
    @Test("The peer computes this checksum")
    func answer() throws {
        #expect(try expected(3) == "b3eb2e5f6719d6e3")
    }

    @Test("Settings that a fleet does not have are refused, and compare does not request them")
    func synchronous() throws {
        var request = try request(files: 1)
        request.synchronous = .full
        let error = #expect(throws: BenchError.self) { try request.run() }
        #expect(error?.message.contains("synchronous normal") == true)
        #expect(FleetWorkload.synchronous(.full) == [.normal])
        #expect(MigrateWorkload.synchronous(.full) == [.full])
    }

    /// A peer that records its command line and the corpus that it finds.
    @Test("Peers get sixteen migrations, whatever migrate gets, and the requested number of files")
    func comparison() async throws {
        var outcome = Outcomes.good(try request(files: 5))
        outcome.variant = "x"
        outcome.checksum = try expected(5)
        let script = """
            #!/bin/sh
            if [ "$1" = list ]; then
                echo '{"peer":"fake","encrypted":true,"workloads":{"fleet":["x"]}}'
                exit 0
            fi
            while [ "$1" != --corpus ]; do
                if [ "$1" = --operations ]; then echo "operations $2" >>'\(folder.file("calls"))'; fi
                shift
            done
            ls "$2/plain" | wc -l >>'\(folder.file("calls"))'
            echo '\(try JSON.line(outcome))'
            """
        try ProgramFile.write(script, to: folder.file("fake-peer"))
        let rounds = try await Comparison(
            programs: PeerProgram.find(in: folder.path),
            items: [Comparison.Item(workload: .fleet, synchronous: .normal)],
            sizes: Sizes(rows: 1, operations: 5, migrations: 40), repetitions: 1,
            cacheBytes: 1_048_576, folder: folder.file("scratch")
        ).run()
        #expect(rounds.map(\.operations) == [5])
        let calls = String(decoding: try Bytes.read(folder.file("calls")), as: UTF8.self)
        #expect(calls.split(whereSeparator: \.isWhitespace) == ["operations", "5", "16"])
    }
}
