import Dispatch
import SystemPackage
import TestSupport

@testable import EngineTestSupport
@testable import Lockstep

/// Runs a ``NestingProgram``, and checks what it leaves.
// Sendable by this proof: the tallies are touched only while the lock is held. Not a Mutex: the thread sanitizer does
// not know it for a lock.
final class NestingRun: @unchecked Sendable {
    private let program: NestingProgram
    private let folder: TemporaryFolder
    private let stores: [Store]
    /// Whether the graph knows every call.
    private let isTraced: Bool
    private let lock = WaitCondition()
    private var codes: [LockstepError.Code: Int] = [:]
    private var successes = 0
    private var unexpected: [String] = []
    private var names = 0
    /// Pairs and values of each store that were acknowledged, and that may be there.
    private var acknowledged: [Int: Int] = [:]
    private var possible: [Int: Int] = [:]

    private static let value = [UInt8](repeating: 7, count: 3000)
    private static let script = """
        CREATE TABLE one (id INTEGER PRIMARY KEY);
        CREATE TABLE two (id INTEGER PRIMARY KEY);
        CREATE TABLE blob (id INTEGER PRIMARY KEY, data BLOB);
        """

    /// What came of a program.
    struct Outcome {
        /// Calls that would have waited for ever, by the graph.
        var circles: [String] = []
        var findings: [String] = []
        var refusals = 0
        var successes = 0
    }

    /// - Parameter sharing: Whether what keeps a snapshot takes a reader from the others, as if rule 2 did not exist.
    init(_ program: NestingProgram, sharing: Bool = false, isTraced: Bool) throws {
        self.program = program
        self.isTraced = isTraced
        folder = try TemporaryFolder()
        stores = try program.stores.map { place in
            var options = StoreOptions()
            options.connection.synchronous = .normal
            options.readers = place.readers
            options.streams = place.streams
            options.sharesReaders = sharing
            let store = place.isInMemory ? try Store.inMemory(options: options) : try Store.temporary(options: options)
            try store.blocking.write { connection in
                try connection.run(script: Self.script)
                try connection.execute("INSERT INTO blob VALUES (1, \(Self.value))")
            }
            return store
        }
    }

    func outcome() async -> Outcome {
        let traces = program.tasks.map { _ in CallTrace() }
        await withTaskGroup(of: Void.self) { group in
            for (calls, trace) in zip(program.tasks, traces) {
                group.addTask { await self.run(calls, self.isTraced ? trace : nil) }
            }
        }
        var outcome = Outcome()
        outcome.circles = traces.flatMap(\.found)
        for (number, store) in stores.enumerated() {
            do { try await check(store, number) } catch { note("the check: \(error)") }
        }
        lock.locked {
            outcome.findings = unexpected
            outcome.refusals = codes.values.reduce(0, +)
            outcome.successes = successes
        }
        return outcome
    }

    // MARK: Tasks

    private func run(_ calls: [NestingCall], _ trace: CallTrace?) async {
        guard let trace else { return await run(calls, tracedBy: nil) }
        await StoreCall.traced(trace) { await run(calls, tracedBy: trace) }
    }

    private func run(_ calls: [NestingCall], tracedBy trace: CallTrace?) async {
        for call in calls {
            switch call.form {
            case .here: await note(call) { try await self.perform(call, trace) }
            case .child:
                async let done: Void = note(call) { try await self.perform(call, trace) }
                await done
            case .detached:
                await Task.detached {
                    await self.note(call) {
                        guard let trace else { return try await self.perform(call, trace) }
                        try await StoreCall.traced(trace) { try await self.perform(call, trace) }
                    }
                }.value
            }
        }
    }

    /// Makes the calls from code that is not asynchronous.
    private func runHere(_ calls: [NestingCall], _ trace: CallTrace?) {
        for call in calls {
            if call.blocks, performHere(call, trace) { continue }
            let done = DispatchSemaphore(value: 0)
            Task {
                await self.run([call], tracedBy: trace)
                done.signal()
            }
            done.wait()
        }
    }

    // MARK: Calls

    private func perform(_ call: NestingCall, _ trace: CallTrace?) async throws {
        let store = stores[call.store]
        let inside: @Sendable () -> Void = { self.runHere(call.inner, trace) }
        switch call.kind {
        case .read:
            try await store.read { connection in
                _ = try connection.value("SELECT count(*) FROM one", as: Int.self)
                inside()
            }
        case .cancellation:
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    await self.note(call) {
                        try await store.write { connection in
                            try connection.execute("INSERT INTO one VALUES (NULL)")
                            withUnsafeCurrentTask { unsafe $0?.cancel() }
                            throw CancellationError()
                        }
                    }
                }
            }
        case .write:
            try await writing(call.store) { try await store.write { try self.insert($0, inside) } }
        case .withoutTransaction:
            try await store.withoutTransaction { connection in
                inside()
                _ = try connection.checkpoint(.passive)
            }
        case .migrate: try await store.migrate(migration(inside))
        case .chunks:
            var rest = call.inner[...]
            var bytes: [UInt8] = []
            for try await chunk in store.chunks(of: BlobPlace(table: "blob", column: "data", row: 1), size: 1000) {
                bytes += chunk
                if let inner = rest.popFirst() { await run([inner], tracedBy: trace) }
            }
            if bytes != Self.value { note("chunks gave \(bytes.count) other bytes") }
        case .insertBlob:
            try await writing(call.store) {
                try await store.insertBlob(
                    into: "blob", "data",
                    from: NestingPieces(value: Self.value, call) {
                        await self.run($0, tracedBy: trace)
                    }
                ) { connection in
                    try self.insert(connection) {}
                    try connection.execute("INSERT INTO blob VALUES (NULL, \(ZeroBytes(Self.value.count)))")
                    return connection.lastInsertedRowID
                }
            }
        case .backup:
            let once = Once()
            let path = folder.file("\(name()).db")
            try await store.backup(to: path, key: .ephemeral()) { _ in
                if once.isFirst { inside() }
            }
        case .observe:
            for try await _ in store.observe({ connection in
                try connection.value("SELECT count(*) FROM two", as: Int.self)
            }) {
                await run(call.inner, tracedBy: trace)
                break
            }
        case .close: try await store.close()
        }
    }

    /// The same on this thread; false for what cannot block.
    private func performHere(_ call: NestingCall, _ trace: CallTrace?) -> Bool {
        let store = stores[call.store]
        let inside: @Sendable () -> Void = { self.runHere(call.inner, trace) }
        switch call.kind {
        case .read:
            noteHere(call) {
                try store.blocking.read { connection in
                    _ = try connection.value("SELECT count(*) FROM one", as: Int.self)
                    inside()
                }
            }
        case .write:
            noteHere(call) {
                try writingHere(call.store) {
                    try store.blocking.write { try insert($0, inside) }
                }
            }
        case .withoutTransaction:
            noteHere(call) { try store.blocking.withoutTransaction { _ in inside() } }
        case .migrate: noteHere(call) { _ = try store.blocking.migrate(migration(inside)) }
        case .close: noteHere(call) { try store.blocking.close() }
        case .chunks, .insertBlob, .backup, .observe, .cancellation: return false
        }
        return true
    }

    private func insert(
        _ connection: borrowing Connection, _ inside: () -> Void
    ) throws {
        try connection.execute("INSERT INTO one VALUES (NULL)")
        inside()
        try connection.execute("INSERT INTO two VALUES (NULL)")
    }

    private func migration(_ inside: @escaping @Sendable () -> Void) throws -> MigrationSet {
        try MigrationSet(name: "set-\(name())", files: []).adding(
            CodeMigration(version: MigrationVersion(1), name: "code") { _ in inside() })
    }

    // MARK: Tallies

    private func name() -> Int {
        lock.locked {
            names += 1
            return names
        }
    }

    private func note(_ finding: String) { lock.locked { unexpected.append(finding) } }

    private func note(_ call: NestingCall, _ body: () async throws -> Void) async {
        do {
            try await body()
            lock.locked { successes += 1 }
        } catch { note(call, error) }
    }

    private func noteHere(_ call: NestingCall, _ body: () throws -> Void) {
        do {
            try body()
            lock.locked { successes += 1 }
        } catch { note(call, error) }
    }

    private func note(_ call: NestingCall, _ error: any Error) {
        guard let error = error as? LockstepError else {
            if !(error is CancellationError) { note("\(call.kind): \(error)") }
            return
        }
        lock.locked { codes[error.code, default: 0] += 1 }
        if ![.misuse, .closed, .limitExceeded].contains(error.code) {
            note("\(call.kind): \(error.code), \(error.message)")
        }
    }

    private func writing(_ store: Int, _ body: () async throws -> Void) async throws {
        lock.locked { possible[store, default: 0] += 1 }
        try await body()
        lock.locked { acknowledged[store, default: 0] += 1 }
    }

    private func writingHere(_ store: Int, _ body: () throws -> Void) throws {
        lock.locked { possible[store, default: 0] += 1 }
        try body()
        lock.locked { acknowledged[store, default: 0] += 1 }
    }

    // MARK: The end

    /// Each write is there as a whole or not at all, and the store closes.
    private func check(_ store: Store, _ number: Int) async throws {
        do {
            let (one, two, torn) = try await store.read { connection in
                (
                    try connection.value("SELECT count(*) FROM one", as: Int.self) ?? -1,
                    try connection.value("SELECT count(*) FROM two", as: Int.self) ?? -1,
                    try connection.value("SELECT count(*) FROM blob WHERE data <> \(Self.value)", as: Int.self) ?? -1
                )
            }
            let (least, most) = lock.locked {
                (acknowledged[number] ?? 0, possible[number] ?? 0)
            }
            if one != two || torn != 0 || one < least || one > most {
                note("\(one) and \(two) of \(least) to \(most) writes, \(torn) torn values")
            }
        } catch let error as LockstepError where error.code == .closed {}
        try await store.close()
    }
}

/// True once.
private final class Once: Sendable {
    private let count = Counter()
    var isFirst: Bool { count.increase() == 0 }
}

/// A value in three pieces, between which a sequence calls stores.
private struct NestingPieces: AsyncSequence, Sendable {
    let value: [UInt8]
    let calls: [NestingCall]
    let run: @Sendable ([NestingCall]) async -> Void

    init(value: [UInt8], _ call: NestingCall, run: @escaping @Sendable ([NestingCall]) async -> Void) {
        self.value = value
        calls = call.inner
        self.run = run
    }

    struct Iterator: AsyncIteratorProtocol {
        let pieces: NestingPieces
        var place = 0

        mutating func next() async throws -> [UInt8]? {
            guard place < 3 else { return nil }
            if place < pieces.calls.count { await pieces.run([pieces.calls[place]]) }
            defer { place += 1 }
            return Array(pieces.value[place * 1000..<(place + 1) * 1000])
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }
}
