import BenchKit

/// A workload: its facts, and how Lockstep does it. Commands, reports and charts take everything from here, so a new
/// workload is a type in a separate file and a line in ``Workloads``.
protocol Workload: Sendable {
    /// Its name in commands and reports.
    static var name: String { get }
    /// Lockstep's variants, the default first.
    static var variants: [String] { get }
    /// Whether `compare` runs it.
    static var isCompared: Bool { get }
    /// How `growth` runs it; nil if it does not.
    static var growth: GrowthSeries? { get }
    /// The goals that it is held to.
    static var goals: [Goal] { get }
    /// The unit for an operation's time.
    static var unit: TimeUnit { get }
    /// Whether its reports show the number of rows.
    static var showsRows: Bool { get }
    /// Whether it has a database, whose settings must be those requested.
    static var hasDatabase: Bool { get }
    /// Whether its clock starts when the process is started.
    static var measuresProcess: Bool { get }
    /// The file that a run starts with.
    static var input: WorkloadInput { get }

    /// When its commits count as done: what `compare` measures, in turn.
    /// - Parameter requested: The choice of the command line, if there is one.
    static func synchronous(_ requested: Synchronous?) -> [Synchronous]
    /// The rows of the table.
    static func rows(_ sizes: Sizes) -> Int
    /// The number of operations of a run of a variant.
    static func operations(_ sizes: Sizes, _ variant: String) -> Int
    /// The number of migrations in the folder that it needs; nil if it needs none.
    static func corpus(_ sizes: Sizes) -> Int?
    /// The group of equivalent variants, the only ones that are compared; nil if all are equivalent.
    static func group(of variant: String) -> String?
    /// The checksum of a run that read everything that it had to read.
    static func expected(_ sizes: Sizes, _ variant: String) throws -> String
    /// Runs it once, on this thread, as the peers do, except for asynchronous calls.
    static func run(_ database: BenchDatabase) throws -> Measurement
}

/// How most workloads are: over a database, with one operation for each row of the table.
extension Workload {
    static var isCompared: Bool { true }
    static var growth: GrowthSeries? { nil }
    static var goals: [Goal] { [] }
    static var unit: TimeUnit { .microseconds }
    static var showsRows: Bool { input.maker == FillWorkload.self }
    static var hasDatabase: Bool { true }
    static var measuresProcess: Bool { false }
    static var input: WorkloadInput { .none }

    static func synchronous(_ requested: Synchronous?) -> [Synchronous] { [requested ?? .normal] }
    static func rows(_ sizes: Sizes) -> Int { sizes.rows(quick: 20_000, full: 1_000_000) }
    static func operations(_ sizes: Sizes, _ variant: String) -> Int { rows(sizes) }
    static func corpus(_ sizes: Sizes) -> Int? { nil }
    static func group(of variant: String) -> String? { nil }

    /// The rows from the first on, one for each operation.
    static func expected(_ sizes: Sizes, _ variant: String) throws -> String {
        var hash = RowHash()
        hash.addRows(operations(sizes, variant))
        return hash.hex
    }
}

extension Workload {
    /// The variant with this name, or the default.
    static func variant(_ name: String?) throws(BenchError) -> String {
        let ofAnySize = growth.map { [$0.variant] } ?? []
        let known = variants + ofAnySize.filter { !variants.contains($0) }
        guard let variant = name ?? known.first, known.contains(variant) else {
            throw BenchError(
                "\(self.name) has no variant \(name ?? "")", hint: "choose one of: \(known.joined(separator: ", "))")
        }
        return variant
    }
}
