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
            checksum: (try? request.workload.expected(request.rows, request.operations)) ?? "",
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
            group: series.first.flatMap { workload.type.group(of: $0.variant) },
            series: series)
    }
}

extension WorkloadName {
    static let fill = Self(FillWorkload.self)
    static let open = Self(OpenWorkload.self)
    static let insert = Self(InsertWorkload.self)
    static let scan = Self(ScanWorkload.self)
    static let point = Self(PointWorkload.self)
    static let commit = Self(CommitWorkload.self)
    static let concurrent = Self(ConcurrentWorkload.self)
    static let blob = Self(BlobWorkload.self)
    static let migrate = Self(MigrateWorkload.self)
    static let rerun = Self(RerunWorkload.self)
    static let rebuild = Self(RebuildWorkload.self)
    static let guarded = Self(GuardWorkload.self)
    static let fleet = Self(FleetWorkload.self)
    static let fields = Self(FieldsWorkload.self)
    static let update = Self(UpdateWorkload.self)
    static let rotate = Self(RotateWorkload.self)
    static let verify = Self(VerifyWorkload.self)

    /// The checksum of a run of these sizes.
    func expected(_ rows: Int, _ operations: Int) throws -> String {
        try type.expected(Sizes(rows: rows, operations: operations, migrations: 1), "")
    }
}
