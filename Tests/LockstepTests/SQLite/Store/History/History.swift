/// What tasks did with lists that only grow, as each of them saw it: which values it appended, and which it read.
///
/// The idea is Elle's (Kingsbury and Alvaro, 2020): a list shows the order of all appends before the last that a reader
/// saw, so that a history of lists shows which transaction came before which.
struct History: Sendable {
    /// A part of a transaction.
    enum Step: Sendable, Equatable {
        /// Appends a value that nobody else appends.
        case append(key: Int, value: Int)
        /// Reads a whole list.
        case read(key: Int, values: [Int])
    }

    /// How a transaction ended, for the one who ran it.
    enum End: Sendable {
        /// The call returned: it must be there from then on.
        case acknowledged
        /// The call threw, or it took itself back: it must never have been there.
        case aborted
    }

    /// A transaction, from the call to the return.
    struct Transaction: Sendable {
        /// Of a clock that counts events: what ended before another began has the smaller number.
        let began: Int
        let ended: Int
        let end: End
        let steps: [Step]
    }

    /// In no order.
    var transactions: [Transaction] = []
    /// Every list, read once everybody had ended.
    var final: [Int: [Int]] = [:]

    /// How many appends and reads there are.
    var stepCount: Int { transactions.reduce(0) { $0 + $1.steps.count } }
}
