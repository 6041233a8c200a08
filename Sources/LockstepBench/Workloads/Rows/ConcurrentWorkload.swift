import BenchKit
import Lockstep
import Synchronization

/// Eight tasks that each commit single rows, one after another, until the database is closed. Each row takes the next
/// key, whichever task writes it, as is usual for new rows.
enum ConcurrentWorkload: Workload {
    static let name = "concurrent"
    static let variants = ["tasks"]
    static let goals = [Goal("tasks", .throughput(atLeast: 5, times: "grdb"))]

    private static let writers = 8

    static func synchronous(_ requested: Synchronous?) -> [Synchronous] {
        CommitWorkload.synchronous(requested)
    }

    /// Rounded so that the writers can divide them evenly.
    static func operations(_ sizes: Sizes, _ variant: String) -> Int {
        rounded(CommitWorkload.operations(sizes, variant))
    }

    private static func rounded(_ count: Int) -> Int { max(count / writers, 1) * writers }

    static func run(_ database: BenchDatabase) throws -> Measurement {
        let records = Rows.records(rounded(database.request.operations))
        return try database.measureWriting(operations: records.count) { store, _ in
            try Blocking.run { try await write(records, to: store) }
        }
    }

    private static func write(_ records: [Record], to store: Store) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            let next = NextIndex()
            for _ in 0..<writers {
                group.addTask {
                    while let index = next.take(below: records.count) {
                        let record = records[index]
                        try await store.write { db in try record.insert(in: db) }
                    }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Hands out the numbers from 0 on.
private final class NextIndex: Sendable {
    private let next = Atomic<Int>(0)

    func take(below end: Int) -> Int? {
        let index = next.add(1, ordering: .relaxed).oldValue
        return index < end ? index : nil
    }
}
