/// What tasks did with append-only lists, as each of them saw it: the values it appended, and the values it read.
///
/// The idea is Elle's (Kingsbury and Alvaro, 2020): a list shows the order of all appends before the last that a reader
/// saw, so that a history of lists shows which transaction came before which.
struct History: Sendable {
    /// A part of a transaction.
    enum Step: Sendable, Equatable {
        /// Appends a value that no other step appends.
        case append(key: Int, value: Int)
        /// Reads a whole list.
        case read(key: Int, values: [Int])
    }

    /// How a transaction ended, for the task that ran it.
    enum End: Sendable {
        /// The call returned: the transaction's effects must be present from then on.
        case acknowledged
        /// The call threw, or the transaction rolled back: its effects must never have been present.
        case aborted
    }

    /// A transaction, from the call to the return.
    struct Transaction: Sendable {
        /// From a clock that counts events: if one transaction ends before another begins, its end has the smaller
        /// number.
        let began: Int
        let ended: Int
        let end: End
        let steps: [Step]
    }

    /// In no order.
    var transactions: [Transaction] = []
    /// Every list, read after all tasks ended.
    var final: [Int: [Int]] = [:]

    /// The number of appends and reads.
    var stepCount: Int { transactions.reduce(0) { $0 + $1.steps.count } }
}
