/// All workloads.
enum Workloads {
    /// In the order in which `compare` runs them and help names them.
    static let all: [any Workload.Type] = [
        FillWorkload.self,
        OpenWorkload.self,
        StartWorkload.self,
        KeyringWorkload.self,
        PassphraseWorkload.self,
        InsertWorkload.self,
        ScanWorkload.self,
        PointWorkload.self,
        CommitWorkload.self,
        ConcurrentWorkload.self,
        BlobWorkload.self,
        MigrateWorkload.self,
        RerunWorkload.self,
        RebuildWorkload.self,
        GuardWorkload.self,
        FleetWorkload.self,
        FieldsWorkload.self,
        SealingWorkload.self,
        UpdateWorkload.self,
        RotateWorkload.self,
        VerifyWorkload.self,
    ]

    /// All of them in another order: these first, then the others as they are listed.
    static func startingWith(_ first: [any Workload.Type]) -> [any Workload.Type] {
        first + all.filter { workload in !first.contains { $0 == workload } }
    }
}

extension PeerProgram.Abilities {
    /// Lockstep's: the output of `list`.
    static let own = own { $0.isCompared ? $0.variants : nil }
    /// Those for `growth`.
    static let growing = own { $0.growth.map { [$0.variant] } }

    private static func own(_ variants: (any Workload.Type) -> [String]?) -> Self {
        let workloads = Workloads.all.compactMap { workload in
            variants(workload).map { (workload.name, $0) }
        }
        return Self(peer: PeerProgram.ownName, encrypted: true, workloads: Dictionary(uniqueKeysWithValues: workloads))
    }
}
