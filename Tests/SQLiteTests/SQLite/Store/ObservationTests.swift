import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Observing a store's changes, and a query's result.
@Suite("Observing a store", .timeLimit(.minutes(20)))
struct ObservationTests: NumberStore {
    let scratch: DatabaseScratch

    init() throws {
        scratch = try Self.makeScratch()
        try prepareTable(
            """
            CREATE TABLE other (a INTEGER);
            CREATE TABLE unseen (a INTEGER);
            CREATE VIEW joined AS SELECT t.a FROM t JOIN other ON other.a = t.a;
            """)
    }

    private static let addOther: Part<Void> = { try $0.execute("INSERT INTO other VALUES (1)") }
    private static let addUnseen: Part<Void> = { try $0.execute("INSERT INTO unseen VALUES (1)") }

    // MARK: Changes

    @Test("Commits without a waiting consumer are merged into one change")
    func coalescing() async throws {
        let store = try openStore()
        var iterator = store.changes.makeAsyncIterator()
        for number in 1...3 { try store.writeHere(insert(number)) }
        try store.writeHere(Self.addOther)
        #expect(await iterator.next()?.tables == ["t": .listed([1, 2, 3]), "other": .listed([1])])
        try store.writeHere(insert(4))
        #expect(await iterator.next()?.tables == ["t": .listed([4])])
    }

    @Test("Each consumer receives every change")
    func consumers() async throws {
        let store = try openStore()
        var (first, second) = (
            store.changes.makeAsyncIterator(), store.changes.makeAsyncIterator()
        )
        try store.writeHere(insert(1))
        #expect(await first.next()?.tables == ["t": .listed([1])])
        try store.writeHere(insert(2))
        #expect(await first.next()?.tables == ["t": .listed([2])])
        #expect(await second.next()?.tables == ["t": .listed([1, 2])])
    }

    @Test("A waiting consumer receives a change as soon as it is committed")
    func waiting() async throws {
        let store = try openStore()
        let changes = store.changes
        let task = Task.immediate {
            var iterator = changes.makeAsyncIterator()
            return await iterator.next()
        }
        try store.writeHere(insert(1))
        let reported = await task.value
        #expect(reported?.tables == ["t": .listed([1])])
    }

    @Test("A consumer that starts while a write is in progress receives its change")
    func beginningDuringAWrite() async throws {
        let store = try openStore()
        var iterator: ChangeSequence.Iterator?
        try store.writeHere { connection in
            iterator = store.changes.makeAsyncIterator()
            #expect(try committed() == [])
            try insert(1)(connection)
        }
        try store.writeHere(Self.addOther)
        let changes = await iterator?.next()
        #expect(changes?.touches(["t"]) == true)
    }

    @Test("Changes end when the store closes")
    func end() async throws {
        let store = try openStore()
        let changes = store.changes
        var before = changes.makeAsyncIterator()
        let task = Task.immediate {
            var iterator = changes.makeAsyncIterator()
            return await iterator.next()
        }
        try await store.close()
        #expect(await task.value == nil)
        #expect(await before.next() == nil)
    }

    @Test("Changes of a closed store end at once")
    func afterTheEnd() async throws {
        let store = try openStore()
        try await store.close()
        var iterator = store.changes.makeAsyncIterator()
        #expect(await iterator.next() == nil)
    }

    @Test("Cancelling the task ends its changes")
    func cancellation() async throws {
        let store = try openStore()
        let changes = store.changes
        let task = Task.immediate {
            var iterator = changes.makeAsyncIterator()
            return await iterator.next()
        }
        task.cancel()
        #expect(await task.value == nil)
        try store.writeHere(insert(1))
    }

    @Test("When the last consumer has gone, nothing is collected any more")
    func leaving() async throws {
        let store = try openStore()
        do {
            var iterator = store.changes.makeAsyncIterator()
            try store.writeHere(insert(1))
            #expect(await iterator.next() != nil)
        }
        #expect(store.observers.isEmpty)
        try store.writeHere { connection in #expect(!connection.core.tracker.isOn) }
    }

    // MARK: Queries

    struct Query: Sendable, CustomTestStringConvertible {
        let sql: String
        let seesT: Bool
        let seesOther: Bool
        var testDescription: String { sql }
    }

    static let queries: [Query] = [
        Query(sql: "SELECT count(*) FROM t", seesT: true, seesOther: false),
        Query(sql: "SELECT count(*) FROM Other", seesT: false, seesOther: true),
        Query(sql: "SELECT count(*) FROM joined", seesT: true, seesOther: true),
        Query(sql: "SELECT count(*) FROM t LEFT JOIN other USING (a)", seesT: true, seesOther: true),
        Query(
            sql: "SELECT count(*) FROM t JOIN other ON t.a = other.a", seesT: true,
            seesOther: true),
        Query(sql: "SELECT count(*) FROM t WHERE a IN (SELECT a FROM other)", seesT: true, seesOther: true),
        Query(sql: "WITH x AS (SELECT a FROM other) SELECT count(*) FROM x", seesT: false, seesOther: true),
        Query(sql: "SELECT EXISTS (SELECT 1 FROM t)", seesT: true, seesOther: false),
        Query(
            sql: "SELECT a FROM t UNION SELECT a FROM other", seesT: true, seesOther: true),
    ]

    @Test("The tables that a query reads are known, however it names them", arguments: queries)
    func tables(_ query: Query) throws {
        let tables = try scratch.open().notingTables { connection in
            try connection.execute(SQL(verbatim: query.sql))
        }.1
        #expect(tables.contains("t") == query.seesT)
        #expect(tables.contains("other") == query.seesOther)
        #expect(!tables.contains("unseen"))
    }

    @Test("A query runs again for each table that it read")
    func runningAgain() async throws {
        let store = try openStore()
        let runs = Counter()
        var results = store.observe { connection in
            _ = try connection.value("SELECT count(*) FROM joined", as: Int.self)
            return runs.increase()
        }.makeAsyncIterator()
        #expect(try await results.next() == 0)
        try store.writeHere(insert(2))
        #expect(try await results.next() == 1)
        try store.writeHere(Self.addUnseen)
        try store.writeHere(Self.addOther)
        #expect(try await results.next() == 2)
        #expect(runs.value == 3)
    }

    @Test("Changes of other tables do not make a query run")
    func unrelated() async throws {
        let store = try openStore()
        let runs = Counter()
        let observation = store.observe { connection in
            runs.increase()
            return try values(connection)
        }
        let task = Task {
            var results: [[Int]] = []
            for try await result in observation {
                results.append(result)
                // Each commit finds the consumer waiting, or is merged with the next.
                if results.count == 1 {
                    for _ in 0..<10 { try await store.write(Self.addUnseen) }
                    try await store.write(insert(1))
                } else {
                    break
                }
            }
            return results
        }
        #expect(try await task.value == [[], [1]])
        #expect(runs.value == 2)
    }

    @Test("A query that reads other tables after a change is then observed for those") func otherTables() async throws {
        let store = try openStore()
        var results = store.observe { connection -> Int? in
            let count: Int = try connection.value("SELECT count(*) FROM t") ?? 0
            guard count > 0 else { return nil }
            return try connection.value("SELECT count(*) FROM other")
        }.makeAsyncIterator()
        #expect(try await results.next() == .some(nil))
        try store.writeHere(insert(1))
        #expect(try await results.next() == 0)
        try store.writeHere(Self.addOther)
        #expect(try await results.next() == 1)
    }

    @Test("After a view is created again, its new tables are observed")
    func redefinedView() throws {
        let connection = try scratch.open()
        try connection.execute("CREATE VIEW v AS SELECT a FROM t")
        func tables() throws -> Set<ExactText> {
            try connection.notingTables { try $0.execute("SELECT count(*) FROM v") }.1
        }
        #expect(try tables().contains("t"))
        try connection.run(script: "DROP VIEW v; CREATE VIEW v AS SELECT a FROM other")
        #expect(try tables().contains("other"))
        #expect(try tables().contains("other"))
    }

    @Test("An error of the query ends its observation")
    func failing() async throws {
        let store = try openStore()
        var results = store.observe { connection -> Int in
            let count: Int = try connection.value("SELECT count(*) FROM t") ?? 0
            guard count == 0 else { throw Stop() }
            return count
        }.makeAsyncIterator()
        #expect(try await results.next() == 0)
        try store.writeHere(insert(1))
        await #expect(throws: Stop.self) { try await results.next() }
    }
}
