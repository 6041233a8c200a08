// Calls inside of calls
// =====================
//
// A call of a store waits for a connection, and holds it while its closure runs. If a closure, or the sequence that a
// call reads from, calls a store again, the inner call waits while the outer one holds: so calls can wait for each
// other for ever. Here they cannot, by three rules. None of them asks who the caller is, what it waits for elsewhere,
// or how many others there are.
//
//  1. A closure cannot call its own store: `misuse`, by the name of the outer call. So the readers that reads share,
//     and the writer, are held only by closures that end by themselves, and a read or a write waits only for those.
//     `insertBlob` holds the writer while its sequence does what it likes. The sequence cannot call the store either,
//     except for `chunks` (rule 2).
//  2. What keeps a snapshot while the program does other things, which is `chunks` between two of its chunks, and a job
//     in its progress closure, does not take one of those readers. It gets one more (`SnapshotReaders`), at once or
//     never: from `StoreOptions.streams` on it is refused by `limit-exceeded`. Nobody waits for such a reader, since
//     its holder runs other code, which can wait for anything: for another call, for a task that makes one, for a slow
//     client. A store in memory has one connection, and nothing can keep it: there `chunks` copies the value at its
//     first chunk, and inside of `insertBlob` it reads it on the connection of that call.
//  3. Closing waits for the calls that run, which end by themselves, and ends the sequences of chunks: their next chunk
//     is the error `closed`. It is refused inside of a closure, a job or a sequence of `insertBlob`, which it would
//     wait for.
//
// Several stores
//
// A closure can call another store. Two tasks that write to two stores in opposite orders would wait for each other.
// For these the graph below knows each call that is inside of another one, and refuses the one with which the circle
// would close. A call enters it before it waits, and leaves it when it returns:
//
//     a call is stuck     if it waits in a queue all of whose connections are held by blocked calls, or for the end of a
//                         store with a blocked call; or if it is blocked itself
//     a call is blocked   if a call inside of it is stuck
//
// That is the largest set of calls that fits, and it can grow only when a call enters. What a closure has started, such
// as a task, counts as inside of it until it has returned, whether it waits for that or not. Calls that are inside of
// no other, which nearly all are, are not in the graph and cost nothing.
//
// A holder that waits for something that is no call of a store, such as a semaphore that the code after a waiting call
// signals, is beyond what any of this can see.

/// The calls of stores that are inside of other calls.
// Sendable by this proof: every variable property is touched only while the lock is held.
final class CallGraph: @unchecked Sendable {
    static let shared = CallGraph()

    private let lock = WaitCondition()
    private var calls: [StoreCall] = []
    /// What keeps a connection in between, in tests without rule 2.
    private var keepers: [StoreCall] = []

    /// - Throws: ``LockstepError/Code/misuse`` if the call would wait for ever.
    func enter(_ call: StoreCall) throws(LockstepError) {
        try lock.locked { () throws(LockstepError) in
            guard call.outerCalls.contains(where: \.isOpen) else { return }
            calls.append(call)
            guard let holder = circle(with: call) else { return }
            calls.removeLast()
            call.trace?.note("\(call.name) waits for \(holder.name)")
            throw refusal(of: call, holder)
        }
    }

    func leave(_ call: StoreCall) {
        lock.locked {
            if let index = calls.lastIndex(where: { $0 === call }) { calls.remove(at: index) }
        }
    }

    func keep(_ call: StoreCall) {
        guard call.trace != nil else { return }
        lock.locked { keepers.append(call) }
    }

    func release(_ call: StoreCall) {
        lock.locked {
            if let index = keepers.lastIndex(where: { $0 === call }) { keepers.remove(at: index) }
        }
    }

    // MARK: Circles

    /// The call that `call` would wait for, for ever; nil if it will be served.
    private func circle(with call: StoreCall) -> StoreCall? {
        var stuck = calls
        while true {
            let left = stuck.filter { !isFree($0, stuck) }
            if left.count == stuck.count { break }
            stuck = left
        }
        guard stuck.contains(where: { $0 === call }) else { return nil }
        return blocked(stuck).first { holds($0, against: call) }
    }

    private func isFree(_ call: StoreCall, _ stuck: [StoreCall]) -> Bool {
        let blocked = blocked(stuck)
        if blocked.contains(where: { $0 === call }) { return false }
        let holders = blocked.count { holds($0, against: call) }
        return call.need == .end ? holders == 0 : call.queue == nil || holders < call.places
    }

    private func holds(_ holder: StoreCall, against call: StoreCall) -> Bool {
        guard holder !== call else { return false }
        return call.need == .end ? holder.store == call.store : holder.queue == call.queue
    }

    /// The open calls that a stuck one is inside of, each once.
    private func blocked(_ stuck: [StoreCall]) -> [StoreCall] {
        var blocked: [ObjectIdentifier: StoreCall] = [:]
        for call in stuck {
            for outer in call.outerCalls where outer.isOpen {
                blocked[ObjectIdentifier(outer)] = outer
            }
            for keeper in keepers where keeper.trace === call.trace {
                blocked[ObjectIdentifier(keeper)] = keeper
            }
        }
        return Array(blocked.values)
    }

    private func refusal(of call: StoreCall, _ holder: StoreCall) -> LockstepError {
        let outer = call.outerCalls.first { $0.isOpen && !$0.name.isEmpty }?.name ?? holder.name
        return LockstepError(
            .misuse,
            "`\(call.name)` inside of `\(outer)` would wait for ever: `\(holder.name)` of the same store waits for "
                + "what this task holds",
            hint: "call several stores in the same order everywhere, or one after the other")
    }
}

/// One task of a test, whose calls the graph knows even if they are inside of no other.
// Sendable by this proof: `circles` is touched only while the lock is held.
final class CallTrace: @unchecked Sendable {
    private let lock = WaitCondition()
    private var circles: [String] = []

    /// The calls that would have waited for ever.
    var found: [String] { lock.locked { circles } }

    fileprivate func note(_ circle: String) { lock.locked { circles.append(circle) } }
}
