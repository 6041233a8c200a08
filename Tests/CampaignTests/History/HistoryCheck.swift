/// Looks for an order of all transactions that explains what each of them saw, and that agrees with the order in which
/// they ended and began: strict serializability.
struct HistoryCheck {
    private let transactions: [History.Transaction]
    private let final: [Int: [Int]]
    /// The transaction that appended each value.
    private var writers: [Int: Int] = [:]
    /// The values of each key, in order.
    private var orders: [Int: [Int]] = [:]
    private(set) var findings: [String] = []

    /// Findings, the first of each kind; none for a valid history.
    static func findings(in history: History) -> [String] {
        var check = HistoryCheck(history)
        check.run()
        return check.findings
    }

    private init(_ history: History) {
        transactions = history.transactions
        final = history.final
    }

    private mutating func run() {
        findWriters()
        findOrders()
        for (number, transaction) in transactions.enumerated() {
            checkWithin(number, transaction)
            if transaction.end == .acknowledged { checkAcknowledged(number, transaction) }
        }
        // Without an order there is no graph.
        if findings.isEmpty { checkGraph() }
    }

    private mutating func report(_ finding: String) {
        if findings.count < 20 { findings.append(finding) }
    }

    private mutating func findWriters() {
        for (number, transaction) in transactions.enumerated() {
            for case .append(_, let value) in transaction.steps {
                if writers.updateValue(number, forKey: value) != nil {
                    report("the value \(value) is appended twice")
                }
            }
        }
    }

    // MARK: Lists

    /// A list as it was in the end; everything read before must be a prefix of it.
    private mutating func findOrders() {
        orders = final
        for (key, values) in final {
            if Set(values).count != values.count { report("list \(key) has a value twice") }
            for value in values {
                guard let writer = writers[value] else {
                    report("list \(key) has \(value), which nobody appended")
                    continue
                }
                if transactions[writer].end == .aborted {
                    report("list \(key) keeps \(value) of one that was taken back")
                }
            }
        }
        for (number, transaction) in transactions.enumerated() {
            for case .read(let key, let values) in transaction.steps {
                for value in values {
                    guard let writer = writers[value] else {
                        report("transaction \(number) read \(value), which nobody appended")
                        continue
                    }
                    if transactions[writer].end == .aborted, writer != number {
                        report("transaction \(number) read \(value) of one that was taken back")
                    }
                }
                // A transaction that rolled back has read its own values, which no other may see.
                if transaction.end == .acknowledged, !(orders[key] ?? []).starts(with: values) {
                    report("transaction \(number) read \(values) where list \(key) became \(orders[key] ?? [])")
                }
            }
        }
    }

    /// What a transaction saw of itself: its own appends, at the end, and no change in between.
    private mutating func checkWithin(_ number: Int, _ transaction: History.Transaction) {
        var seen: [Int: [Int]] = [:]
        var added: [Int: [Int]] = [:]
        for step in transaction.steps {
            switch step {
            case .append(let key, let value):
                seen[key]?.append(value)
                added[key, default: []].append(value)
            case .read(let key, let values):
                let isExpected = seen[key].map { $0 == values } ?? true
                let hasOwn = values.suffix(added[key]?.count ?? 0).elementsEqual(added[key] ?? [])
                if !isExpected || !hasOwn {
                    report("transaction \(number) read \(values) of list \(key), and itself knew better")
                }
                seen[key] = values
            }
        }
    }

    private mutating func checkAcknowledged(_ number: Int, _ transaction: History.Transaction) {
        var last: [Int: Int] = [:]
        for case .append(let key, let value) in transaction.steps {
            guard let place = orders[key]?.firstIndex(of: value) else {
                report("\(value) was acknowledged, and list \(key) does not have it")
                continue
            }
            if let before = last[key], place != before + 1 {
                report("the appends of transaction \(number) to list \(key) are not together")
            }
            last[key] = place
        }
    }

    // MARK: Order

    private mutating func checkGraph() {
        let numbers = transactions.indices.filter { transactions[$0].end == .acknowledged }
        var graph = HistoryGraph(transactions: transactions.count)
        for values in orders.values {
            for (earlier, later) in zip(values, values.dropFirst()) {
                guard let first = writers[earlier], let second = writers[later] else { continue }
                graph.add(first, .append, second)
            }
        }
        for number in numbers {
            for case .read(let key, let values) in transactions[number].steps {
                if let last = values.last, let writer = writers[last] {
                    graph.add(writer, .read, number)
                }
                let order = orders[key] ?? []
                if values.count < order.count, let writer = writers[order[values.count]] {
                    graph.add(number, .absence, writer)
                }
            }
        }
        graph.addTimes(transactions.map { $0.end == .acknowledged ? ($0.began, $0.ended) : ($0.began, .max) })
        for circle in graph.circles() {
            let reasons = circle.reasons.map(\.rawValue).sorted().joined(separator: ", ")
            report(
                "\(circle.transactions.count) transactions each come before the others (\(reasons)): "
                    + "\(circle.transactions.prefix(6))")
        }
    }
}
