import Synchronization
import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// Tasks that append to lists in a store and read them, and record what they saw.
struct HistoryStore: Sendable {
    /// A planted defect: a control.
    enum Plant: Sendable {
        /// Some appends write a list that was read in another transaction.
        case lostUpdate
        /// Some reads return what the same task read before.
        case staleRead
    }

    private struct TakenBack: Error {}

    let store: Store
    let plant: Plant?
    private let clock = Counter()
    private let values = Counter()
    /// How many lists grow at a time; how many values each gets before others take over.
    private static let lists = 6
    private static let valuesEach = 20

    static let script = "CREATE TABLE list (key INTEGER PRIMARY KEY, items TEXT NOT NULL) STRICT"

    init(_ store: Store, _ plant: Plant? = nil) {
        self.store = store
        self.plant = plant
    }

    /// Runs `tasks` tasks of that many transactions each, or fewer if the time is over, then reads the lists.
    func run(
        seed: UInt64, tasks: Int, transactions: Int,
        until isOver: @escaping @Sendable () -> Bool = { false }
    ) async throws -> History {
        var history = History()
        try await withThrowingTaskGroup(of: [History.Transaction].self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var random = SplitMix64(state: seed &+ UInt64(task) &* 0x1_0001)
                    return try await run(transactions, until: isOver, &random)
                }
            }
            for try await done in group { history.transactions += done }
        }
        for (key, values) in try await store.read(Self.everything) { history.final[key] = values }
        return history
    }

    private static func everything(_ connection: borrowing Connection) throws -> [(Int, [Int])] {
        try connection.query("SELECT key, items FROM list") { row in
            (try row[0], parse(try row[1]))
        }
    }

    /// The work of one task.
    private func run(
        _ transactions: Int, until isOver: @Sendable () -> Bool, _ random: inout SplitMix64
    ) async throws -> [History.Transaction] {
        var done: [History.Transaction] = []
        var known: [Int: [Int]] = [:]
        for _ in 0..<transactions where !isOver() {
            let steps = plan(&random)
            let isWriting = steps.contains { if case .append = $0 { true } else { false } }
            let takesBack = isWriting && Int.random(in: 0..<12, using: &random) == 0
            let isPlanted = plant != nil && Int.random(in: 0..<20, using: &random) == 0
            let began = clock.increase()
            var seen: [History.Step] = steps
            var end = History.End.acknowledged
            do {
                if !isWriting {
                    seen = try await store.read { try Self.act(steps, $0) }
                } else if isPlanted, plant == .lostUpdate {
                    seen = try await losing(steps)
                } else {
                    seen = try await store.write { connection in
                        let seen = try Self.act(steps, connection)
                        if takesBack { throw TakenBack() }
                        return seen
                    }
                }
            } catch is TakenBack {
                end = .aborted
                // Its reads are rolled back with it.
                seen = steps.filter { if case .append = $0 { true } else { false } }
            }
            if isPlanted, plant == .staleRead, !isWriting { seen = Self.stale(seen, known) }
            for case .read(let key, let values) in seen { known[key] = values }
            done.append(History.Transaction(began: began, ended: clock.increase(), end: end, steps: seen))
        }
        return done
    }

    private func plan(_ random: inout SplitMix64) -> [History.Step] {
        let isWriting = Int.random(in: 0..<5, using: &random) < 3
        return (0..<Int.random(in: 1...5, using: &random)).map { _ in
            let first = values.value / (Self.lists * Self.valuesEach) * Self.lists
            let key = first + Int.random(in: 0..<Self.lists, using: &random)
            return isWriting && Bool.random(using: &random)
                ? .append(key: key, value: values.increase()) : .read(key: key, values: [])
        }
    }

    // MARK: The steps of a transaction

    private static func act(
        _ steps: [History.Step], _ connection: borrowing Connection
    ) throws -> [History.Step] {
        try steps.map { step in
            switch step {
            case .append(let key, let value):
                try connection.execute(
                    """
                    INSERT INTO list VALUES (?, ?)
                    ON CONFLICT DO UPDATE SET items = items || ' ' || excluded.items
                    """, key, "\(value)")
                return step
            case .read(let key, _):
                return .read(key: key, values: try read(key, connection))
            }
        }
    }

    private static func read(_ key: Int, _ connection: borrowing Connection) throws -> [Int] {
        let items: [String] = try connection.query("SELECT items FROM list WHERE key = \(key)") {
            try $0[0]
        }
        return parse(items.first ?? "")
    }

    private static func parse(_ items: String) -> [Int] {
        items.split(separator: " ").compactMap { Int($0) }
    }

    // MARK: Controls

    /// Writes lists as they were read before the transaction began.
    private func losing(_ steps: [History.Step]) async throws -> [History.Step] {
        let before = try await store.read { connection in
            try steps.map { step in
                switch step {
                case .append(let key, _), .read(let key, _): try Self.read(key, connection)
                }
            }
        }
        await Task.yield()
        return try await store.write { connection in
            try zip(steps, before).map { step, values in
                guard case .append(let key, let value) = step else {
                    return try Self.act([step], connection)[0]
                }
                let items = (values + [value]).map(String.init).joined(separator: " ")
                try connection.execute(
                    "INSERT INTO list VALUES (?, ?) ON CONFLICT DO UPDATE SET items = excluded.items", key, items)
                return step
            }
        }
    }

    private static func stale(_ seen: [History.Step], _ known: [Int: [Int]]) -> [History.Step] {
        seen.map { step in
            guard case .read(let key, _) = step, let values = known[key] else { return step }
            return .read(key: key, values: values)
        }
    }
}
