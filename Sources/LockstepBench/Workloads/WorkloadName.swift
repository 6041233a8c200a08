import ArgumentParser

/// A workload as commands and reports refer to it: by its name.
struct WorkloadName: RawRepresentable, Hashable, Codable, CaseIterable, Sendable, ExpressibleByArgument {
    let type: any Workload.Type

    static let allCases = Workloads.all.map(Self.init)
    /// The workloads that are compared.
    static let compared = allCases.filter { $0.type.isCompared }

    init(_ type: any Workload.Type) { self.type = type }

    init?(rawValue: String) {
        guard let type = Workloads.all.first(where: { $0.name == rawValue }) else { return nil }
        self.type = type
    }

    var rawValue: String { type.name }
}
