/// Which transaction must come before which, and where that forms a cycle.
struct HistoryGraph {
    /// Why one transaction comes before another.
    enum Reason: String {
        /// It appended the value before the other's value.
        case append = "appends before"
        /// The other one read its value.
        case read = "is read by"
        /// It did not see the other's append.
        case absence = "does not see"
        /// It ended before the other began.
        case time = "ends before"
    }

    private struct Edge {
        let target: Int32
        let reason: Reason
    }

    private var edges: [[Edge]]
    /// The nodes from here on represent points in time.
    private let transactions: Int

    init(transactions: Int) {
        self.transactions = transactions
        edges = Array(repeating: [], count: transactions)
    }

    mutating func add(_ source: Int, _ reason: Reason, _ target: Int) {
        guard source != target else { return }
        edges[source].append(Edge(target: Int32(target), reason: reason))
    }

    /// Every transaction comes before all that begin after its end. A chain of points in time expresses this with a few
    /// edges for each transaction instead of one for each pair.
    mutating func addTimes(_ times: [(began: Int, ended: Int)]) {
        var events: [(time: Int, transaction: Int, isEnd: Bool)] = []
        for (number, time) in times.enumerated() {
            events.append((time.began, number, false))
            events.append((time.ended, number, true))
        }
        events.sort { $0.time < $1.time }
        var last: Int?
        for event in events {
            guard event.isEnd else {
                if let last { add(last, .time, event.transaction) }
                continue
            }
            let moment = edges.count
            edges.append([])
            add(event.transaction, .time, moment)
            if let last { add(last, .time, moment) }
            last = moment
        }
    }

    // MARK: Circles

    /// The transactions of each cycle, and the reasons among them: Tarjan's strongly connected components.
    func circles() -> [(transactions: [Int], reasons: Set<Reason>)] {
        var circles: [(transactions: [Int], reasons: Set<Reason>)] = []
        var order = [Int32](repeating: -1, count: edges.count)
        var low = [Int32](repeating: 0, count: edges.count)
        var isOpen = [Bool](repeating: false, count: edges.count)
        var open: [Int] = []
        var next: Int32 = 0
        // A recursion would need a stack as deep as the history is long.
        var path: [(node: Int, edge: Int)] = []
        for root in edges.indices where order[root] < 0 {
            path.append((root, 0))
            while let (node, edge) = path.last {
                if edge == 0 {
                    order[node] = next
                    low[node] = next
                    next += 1
                    open.append(node)
                    isOpen[node] = true
                }
                if edge < edges[node].count {
                    path[path.count - 1].edge += 1
                    let target = Int(edges[node][edge].target)
                    if order[target] < 0 {
                        path.append((target, 0))
                    } else if isOpen[target] {
                        low[node] = min(low[node], order[target])
                    }
                    continue
                }
                path.removeLast()
                if let parent = path.last?.node { low[parent] = min(low[parent], low[node]) }
                guard low[node] == order[node] else { continue }
                var members: [Int] = []
                repeat {
                    members.append(open.removeLast())
                    isOpen[members[members.count - 1]] = false
                } while members.last != node
                if members.count > 1 { circles.append(circle(members)) }
            }
        }
        return circles
    }

    private func circle(_ members: [Int]) -> (transactions: [Int], reasons: Set<Reason>) {
        let inside = Set(members)
        var reasons: Set<Reason> = []
        for member in members {
            for edge in edges[member] where inside.contains(Int(edge.target)) {
                reasons.insert(edge.reason)
            }
        }
        return (members.filter { $0 < transactions }.sorted(), reasons)
    }
}
