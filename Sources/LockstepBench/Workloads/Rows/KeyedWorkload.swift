/// A workload that reads a row by a random key of a filled file with each operation.
protocol KeyedWorkload: Workload {}

extension KeyedWorkload {
    static var input: WorkloadInput { .file(of: FillWorkload.self) }

    static func expected(_ sizes: Sizes, _ variant: String) -> String {
        var hash = RowHash()
        for key in Rows.keys(operations(sizes, variant), of: rows(sizes)) {
            hash.add(Rows.record(Int(key)))
        }
        return hash.hex
    }
}
