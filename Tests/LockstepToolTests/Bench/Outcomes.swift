import SystemPackage

@testable import LockstepBench

/// Outcomes of possible peers, for tests that change one thing.
enum Outcomes {
    static func request(_ workload: WorkloadName = .insert, rows: Int = 10) -> RunRequest {
        RunRequest(
            workload: workload, variant: "plain", path: "bench.db", rows: rows, operations: rows,
            cacheBytes: 1_048_576, synchronous: .normal, key: RunRequest.ordinaryKey)
    }

    /// A good peer's answer to the request.
    static func good(
        _ request: RunRequest = request(), peer: String = "fake", cpu: Int64 = 1000
    ) -> Outcome {
        Outcome(
            peer: peer, workload: request.workload, variant: request.variant,
            operations: request.operations, cpuNanoseconds: cpu, wallNanoseconds: cpu,
            checksum: (try? RowHash.expected(
                request.workload, rows: request.rows, operations: request.operations)) ?? "",
            peakKiB: 2048, library: "none", settings: request.settings)
    }

    /// Runs of a variant, each of one operation and the given number of nanoseconds.
    static func series(
        _ peer: String, _ variant: String, _ workload: WorkloadName, cpu: [Int64],
        wall: [Int64]? = nil
    ) -> Series {
        var series = Series(peer: peer, variant: variant, isEncrypted: peer != "grdb")
        for (index, nanoseconds) in cpu.enumerated() {
            var outcome = good(request(workload, rows: 1), peer: peer, cpu: nanoseconds)
            outcome.variant = variant
            if let wall { outcome.wallNanoseconds = wall[index] }
            series.outcomes.append(outcome)
        }
        return series
    }

    static func round(_ workload: WorkloadName, _ series: [Series]) -> Round {
        Round(
            workload: workload, synchronous: .normal, cacheBytes: 1_048_576, rows: 1000,
            operations: 1,
            group: series.first.flatMap { Round.group(of: $0.variant, in: workload) },
            series: series)
    }
}
