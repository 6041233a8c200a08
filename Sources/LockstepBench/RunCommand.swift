import BenchKit
import ArgumentParser
import FoundationEssentials
import Lockstep
import SystemPackage

/// `lockstep-bench run`: one run of Lockstep, called and answering as every peer does.
struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run", abstract: "Run one workload once on a file of your own, and print its outcome as JSON.",
        discussion: """
            The contract is Tests/Peers/README.md. The key opens the file FILE.keyring, which is made \
            next to the database.
            """)

    @Argument(
        help: "Which workload: \(WorkloadName.allCases.map(\.rawValue).listed(before: "or")).")
    var workload: WorkloadName

    @Option(
        help:
            "The database; workloads that need existing rows take one that `fill` made."
    )
    var path: String

    @Option(help: "Rows of the table.")
    var rows: Int = 1_000_000

    @Option(help: "How many operations, if they are not rows.")
    var operations: Int = 10_000

    @Option(help: "Bytes of memory for pages, for each connection.")
    var cache: Int = 64 * 1024 * 1024

    @Option(help: "When a commit counts as done.")
    var sync: Synchronous = .normal

    @Option(help: "64 hexadecimal digits.")
    var key: String = RunRequest.ordinaryKey

    @Option(help: "The variant of the workload.")
    var variant: String?

    @Option(help: "The folder of migrations, as `lockstep-bench corpus` makes it.")
    var corpus: String?

    @Option(
        help: "When this process was started: nanoseconds of the monotonic clock, for `rerun`.")
    var started: Int64?

    func validate() throws {
        guard rows > 0, operations > 0, cache > 0 else {
            throw ValidationError("--rows, --operations and --cache must be above 0")
        }
    }

    func run() throws {
        let request = RunRequest(
            workload: workload, variant: try workload.type.variant(variant),
            path: FilePath(path), rows: rows, operations: operations, cacheBytes: cache,
            synchronous: sync, key: key, corpus: corpus.map { FilePath($0) },
            startedNanoseconds: started)
        let measurement = try request.run()
        let outcome = Outcome(
            peer: PeerProgram.ownName, workload: workload, variant: request.variant,
            operations: measurement.operations,
            cpuNanoseconds: measurement.clock.cpuNanoseconds,
            wallNanoseconds: measurement.clock.wallNanoseconds,
            checksum: measurement.hash.hex, peakKiB: ProcessUsage.peakKiB,
            library: "Lockstep \(LockstepVersion.current), \(measurement.library)", settings: measurement.settings,
            bytesWritten: measurement.clock.bytesWritten, syncs: measurement.clock.syncs)
        print(try JSON.line(outcome))
    }
}

extension RunRequest {
    /// The default key.
    static let ordinaryKey = String(repeating: "0123456789abcdef", count: 4)
}

/// JSON on one line, fields in alphabetical order.
enum JSON {
    static func line(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
}
