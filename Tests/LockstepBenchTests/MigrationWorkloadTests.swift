import ArgumentParser
import Lockstep
import SystemPackage
import TestSupport
import Testing

@testable import BenchKit
@testable import LockstepBench

@Suite("Migrations as a workload")
struct MigrationWorkloadTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func request(_ workload: WorkloadName, _ name: String, rows: Int = 50) throws -> RunRequest {
        RunRequest(
            workload: workload, variant: try workload.type.variant(nil),
            path: folder.file(name), rows: rows, operations: 1, cacheBytes: 1_048_576,
            synchronous: .normal, key: RunRequest.ordinaryKey)
    }

    @Test("Ours migrates, finds nothing more to do, and answers as every peer must")
    func migrate() throws {
        let migrations = MigrationCorpus.migrations(30)
        try CorpusFolder.write(migrations, to: folder.file("corpus"))
        var request = try request(.migrate, "bench.db")
        request.corpus = folder.file("corpus")
        let first = try request.run()
        #expect(first.operations == 30)
        #expect(try first.hash.hex == CorpusDigest.expected(migrations))
        #expect(first.settings == request.settings)
        request.workload = .rerun
        request.startedNanoseconds = ProcessClock.monotonicNanoseconds
        let again = try request.run()
        #expect(again.operations == 1)
        #expect(again.hash.hex == first.hash.hex)
        #expect(again.clock.wallNanoseconds > 0)
    }

    @Test("A run that finds more to do is not a re-run")
    func notApplied() throws {
        let migrations = MigrationCorpus.migrations(9)
        try CorpusFolder.write(migrations, to: folder.file("corpus"))
        var request = try request(.migrate, "bench.db")
        request.corpus = folder.file("corpus")
        _ = try request.run()
        try CorpusFolder.write(MigrationCorpus.migrations(10), to: folder.file("corpus"))
        request.workload = .rerun
        let error = #expect(throws: BenchError.self) { try request.run() }
        #expect(error?.message.contains("1 migrations were not applied") == true)
    }

    @Test("Ours rebuilds the table of fill, and keeps rows and index")
    func rebuild() throws {
        var fill = try request(.rebuild, "bench.db")
        fill.workload = .fill
        fill.variant = "default"
        _ = try fill.run()
        let measured = try request(.rebuild, "bench.db").run()
        #expect(measured.operations == 50)
        #expect(try measured.hash.hex == rebuilt(50))
        #expect(try rebuilt(51) != rebuilt(50))
    }

    @Test("Ours updates a column of all rows, compared and not", arguments: ["compared", "unchecked"])
    func guarded(variant: String) throws {
        var fill = try request(.guarded, "bench.db")
        fill.workload = .fill
        fill.variant = "default"
        _ = try fill.run()
        var request = try request(.guarded, "bench.db")
        request.variant = variant
        #expect(try request.run().hash.hex == GuardWorkload.expected(Sizes(rows: 50), variant))
    }

    private func rebuilt(_ rows: Int) throws -> String {
        try RebuildWorkload.expected(Sizes(rows: rows), "directive")
    }

    @Test("Without a corpus the run reports how to get one")
    func noCorpus() throws {
        let request = try request(.migrate, "bench.db")
        let error = #expect(throws: BenchError.self) { try request.run() }
        #expect(error?.message == "migrate needs --corpus")
        #expect(error?.hint?.contains("lockstep-bench corpus") == true)
    }

    @Test(
        "The command line has the corpus and the start time of a process, where that matters"
    )
    func arguments() throws {
        var request = try request(.migrate, "bench.db")
        #expect(!request.arguments.contains("--corpus"))
        request.corpus = "/c"
        request.startedNanoseconds = 5
        #expect(request.arguments.suffix(4) == ["--corpus", "/c", "--started", "5"])
        let command = try #require(try BenchCommand.parseAsRoot(["run"] + request.arguments) as? RunCommand)
        #expect(command.corpus == "/c")
        #expect(command.started == 5)
    }

    @Test("Options of compare", arguments: [["migrate", "--migrations", "0"], ["nothing"]])
    func refusedOptions(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try BenchCommand.parseAsRoot(["compare"] + arguments) }
    }

    @Test("The command corpus writes the requested number")
    func corpusCommand() throws {
        let path = folder.file("written")
        var command = try BenchCommand.parseAsRoot(["corpus", path.string, "--migrations", "4"])
        try command.run()
        #expect(try MigrationSet(folder: path.appending("native")).files.count == 4)
        #expect(throws: (any Error).self) {
            try BenchCommand.parseAsRoot(["corpus", path.string, "--migrations", "0"])
        }
    }

    // MARK: Peers

    /// A peer that records its command lines, and answers for a file that it finds or creates.
    private func peer(_ answers: [WorkloadName: Outcome]) throws {
        let cases = try answers.map { "\($0.key.rawValue)) echo '\(try JSON.line($0.value))';;" }
        let script = """
            #!/bin/sh
            if [ "$1" = list ]; then
                echo '{"peer":"fake","encrypted":false,"workloads":{"migrate":["x"],"rerun":["x"],"rebuild":["x"]}}'
                exit 0
            fi
            echo "$@" >>'\(folder.file("calls"))'
            echo "$1" >>"$3"
            case "$1" in
            \(cases.joined(separator: "\n"))
            esac
            """
        try ProgramFile.write(script, to: folder.file("fake-peer"))
    }

    private func outcome(
        _ workload: WorkloadName, _ variant: String, _ operations: Int, _ sum: String
    )
        throws -> Outcome
    {
        var request = try request(.rebuild, "any", rows: 20)
        (request.workload, request.variant, request.operations) = (workload, variant, operations)
        var outcome = Outcomes.good(request)
        outcome.checksum = sum
        return outcome
    }

    @Test(
        "The corpus is made once; re-runs find the result of migrate; each rebuild has its own copy"
    )
    func comparison() async throws {
        let digest = try CorpusDigest.expected(MigrationCorpus.migrations(5))
        try peer([
            .migrate: outcome(.migrate, "x", 5, digest), .rerun: outcome(.rerun, "x", 1, digest),
            .fill: outcome(.fill, "default", 20, WorkloadName.fill.expected(20, 20)),
            .rebuild: outcome(.rebuild, "x", 20, rebuilt(20)),
        ])
        let rounds = try await Comparison(
            programs: PeerProgram.find(in: folder.path),
            items: [.migrate, .rerun, .rebuild].map { .init(workload: $0, synchronous: .normal) },
            sizes: Sizes(rows: 20, migrations: 5), repetitions: 2, cacheBytes: 1_048_576, folder: folder.file("scratch")
        ).run()
        #expect(rounds.map(\.operations) == [5, 1, 20])
        let calls = String(decoding: try Bytes.read(folder.file("calls")), as: UTF8.self)
            .split(separator: "\n").map { $0.split(separator: " ") }
        #expect(
            calls.map { String($0[0]) } == [
                "migrate", "migrate", "migrate", "rerun", "rerun", "fill", "rebuild", "rebuild",
            ])
        let paths = calls.map { String($0[2]) }
        #expect(paths[2] == paths[3] && paths[3] == paths[4])
        #expect(Set(paths[5...]).count == 3)
        for (index, call) in calls.enumerated() {
            #expect(call.contains("--corpus") == (index < 5))
            #expect(call.contains("--started") == (call[0] == "rerun"))
        }
    }
}
