/// The result of one run of Lockstep.
struct Measurement {
    var clock = ProcessClock()
    var hash = RowHash()
    var operations = 0
    var settings = Outcome.Settings(pageSize: 0, cacheBytes: 0, journal: "", synchronous: "")
    var library = ""
}

/// The workloads as Lockstep implements them.
enum OwnWorkloads {
    /// The workloads and their variants; the others are compared with the first.
    static let variants: [WorkloadName: [String]] = [
        .open: ["store"],
        .keyring: ["key-file"],
        .passphrase: ["slot", "scrypt"],
        .insert: ["typed", "values"],
        .scan: ["row", "codable"],
        .point: ["async", "transaction"],
        .commit: ["sql"],
        .concurrent: ["tasks"],
        .blob: ["incremental"],
        .migrate: ["folder"],
        .rerun: ["folder"],
        .rebuild: ["directive"],
        .fleet: ["jobs"],
        .fields: Cells.all.map(\.variant),
        .update: ["statement"],
        .rotate: ["copy"],
        .verify: ["all"],
        .sealing: SealingWorkload.Variant.allCases.map(\.rawValue),
    ]

    /// The workloads for `growth`, which takes the first variant of each: it allows tables larger than memory.
    static let variantsOfAnySize: [WorkloadName: [String]] = [
        .insert: [Streaming.variant],
        .scan: [Streaming.variant],
        .point: ["async"],
        .verify: ["all"],
        .rotate: ["copy"],
    ]

    /// This program's output for `list`.
    static func abilities(
        _ variants: [WorkloadName: [String]] = variants
    ) -> PeerProgram.Abilities {
        let workloads = variants.map { ($0.key.rawValue, $0.value) }
        return PeerProgram.Abilities(
            peer: PeerProgram.ownName, encrypted: true,
            workloads: Dictionary(uniqueKeysWithValues: workloads))
    }

    /// The requested variant.
    static func variant(
        _ name: String?, of workload: WorkloadName
    ) throws(BenchError) -> String {
        let ofAnySize = variantsOfAnySize[workload] ?? []
        var known = workload == .fill ? ["default"] : variants[workload] ?? []
        known += ofAnySize.filter { !known.contains($0) }
        guard let first = known.first else { throw notOurs(workload) }
        guard let name else { return first }
        guard known.contains(name) else {
            throw BenchError(
                "\(workload.rawValue) has no variant \(name)",
                hint: "choose one of: \(known.joined(separator: ", "))")
        }
        return name
    }

    /// Runs one workload once, on this thread, as the peers do, except for asynchronous calls.
    static func run(_ request: RunRequest) throws -> Measurement {
        let database = BenchDatabase(request)
        return switch request.workload {
        case .fill: try InsertWorkload.runStreamed(database)
        case .insert: try InsertWorkload.run(database)
        case .open: try OpenWorkload.run(database)
        case .keyring: try KeyringWorkload.run(database)
        case .passphrase: try PassphraseWorkload.run(database)
        case .scan: try ScanWorkload.run(database)
        case .point: try PointWorkload.run(database)
        case .commit: try CommitWorkload.run(database)
        case .concurrent: try ConcurrentWorkload.run(database)
        case .blob: try BlobWorkload.run(database)
        case .migrate: try MigrateWorkload.run(database)
        case .rerun: try MigrateWorkload.runAgain(database)
        case .rebuild: try RebuildWorkload.run(database)
        case .fleet: try FleetWorkload.run(database)
        case .fields: try FieldsWorkload.run(database)
        case .sealing: try SealingWorkload.run(database)
        case .update: try UpdateWorkload.run(database)
        case .rotate: try RotateWorkload.run(database)
        case .verify: try VerifyWorkload.run(database)
        }
    }

    private static func notOurs(_ workload: WorkloadName) -> BenchError {
        BenchError(
            "\(workload.rawValue) is not among the workloads of this program",
            hint: "choose one of those that `lockstep-bench run --help` names")
    }
}
