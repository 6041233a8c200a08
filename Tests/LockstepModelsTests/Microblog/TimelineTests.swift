import Lockstep
import Synchronization
import TestSupport
import Testing

@testable import LockstepModels

@Suite("The microblog's timeline")
struct TimelineTests {
    /// Instants, many of which are equal and some missing.
    private func filled(_ options: StoreOptions = .init()) throws -> MicroblogStore {
        let blog = try MicroblogStore.inMemory(options: options)
        let users = try (0..<3).map { try blog.add(User(name: "user \($0)")) }
        var statuses: [Status] = []
        for number in 0..<60 {
            let instant: Int64? = number % 7 == 0 ? nil : Int64(number * 37 % 5) - 2
            let user: Int64? = number % 4 == 3 ? nil : users[number % 3]
            statuses.append(Status(createdAt: instant, text: "status \(number)", userID: user))
        }
        try blog.add(statuses)
        return blog
    }

    private func expected(_ blog: MicroblogStore) throws -> [Int64] {
        try blog.timeline(100).sorted { one, other in
            (one.status.createdAt ?? .min, one.status.id) > (other.status.createdAt ?? .min, other.status.id)
        }.map(\.status.id)
    }

    @Test(
        "Pages of any size return every status once, newest first, those without an instant last",
        arguments: [1, 2, 3, 7, 59, 60, 61])
    func pages(size: Int) throws {
        let blog = try filled()
        var seen: [Int64] = []
        var cursor: TimelineCursor?
        // A limit, so that a bug cannot loop for ever.
        while seen.count <= 60 {
            let page = try blog.timeline(size, before: cursor)
            guard let last = page.last else { break }
            #expect(page.count <= size)
            seen += page.map(\.status.id)
            cursor = last.cursor
        }
        #expect(seen.count == 60)
        #expect(try seen == expected(blog))
    }

    @Test("Writes between two pages do not move the rest")
    func steady() throws {
        let blog = try filled()
        let all = try expected(blog)
        let first = try blog.timeline(20)
        try blog.add((0..<10).map { _ in Status(createdAt: 1000, text: "new", userID: nil) })
        try blog.removeStatus(first[5].status.id)
        let second = try blog.timeline(40, before: first[19].cursor)
        #expect(second.map(\.status.id) == Array(all[20...]))
    }

    @Test("An empty store has no pages, and limits of zero or less return nothing")
    func borders() throws {
        let blog = try MicroblogStore.inMemory()
        #expect(try blog.timeline().isEmpty)
        #expect(try blog.timeline(5, before: TimelineCursor(createdAt: nil, id: 5)).isEmpty)
        try blog.add(Status(createdAt: .max, text: "x", userID: nil))
        try blog.add(Status(createdAt: .min, text: "y", userID: nil))
        #expect(try blog.timeline(0).isEmpty)
        #expect(try blog.timeline(-1).isEmpty)
        #expect(try blog.timeline(.max).map(\.status.text) == ["x", "y"])
        let last = TimelineCursor(createdAt: .min, id: .min)
        #expect(try blog.timeline(.max, before: last).isEmpty)
    }

    /// The statements that a store ran.
    private final class Recorder: Sendable {
        private let events = Mutex<[String]>([])
        var options: StoreOptions {
            var options = StoreOptions()
            options.connection.trace = { event in self.events.withLock { $0.append(event.sql) } }
            return options
        }
        func take() -> [String] {
            events.withLock { events in
                defer { events = [] }
                return events.filter {
                    !$0.hasPrefix("BEGIN") && !$0.hasPrefix("COMMIT") && !$0.hasPrefix("PRAGMA")
                }
            }
        }
    }

    @Test("A page is one statement, including users, whatever its size")
    func oneStatement() throws {
        let recorder = Recorder()
        let blog = try filled(recorder.options)
        let cursor = try #require(try blog.timeline(10).last).cursor
        for read in [
            { try blog.timeline(50).count }, { try blog.timeline(50, before: cursor).count },
            { try blog.statuses(ofUserNamed: "user 1").count }, { try blog.search("status").count },
            { try blog.users(whoWrote: "status").count },
        ] {
            _ = recorder.take()
            #expect(try read() > 0)
            let ran = recorder.take().filter { $0.contains("SELECT") && $0.contains("User") }
            #expect(ran.count == 1, "\(ran)")
        }
    }

    @Test("A trace for debugging contains no values")
    func trace() throws {
        let recorder = Recorder()
        let blog = try MicroblogStore.inMemory(options: recorder.options)
        let ann = try blog.add(User(name: "secret-name", city: "secret-city"))
        try blog.add([Status(source: "secret-source", text: "secret-text", userID: ann)])
        _ = try blog.search("secret-word")
        _ = try blog.statuses(ofUserNamed: "secret-name")
        let ran = recorder.take()
        #expect(ran.contains { $0.contains("INSERT INTO Status") })
        #expect(ran.allSatisfy { !$0.contains("secret") })
    }

    @Test("Pages use indexes: nothing is scanned or sorted")
    func plans() throws {
        let blog = try filled()
        let cursors = [nil, TimelineCursor(createdAt: 1, id: 30), TimelineCursor(createdAt: nil, id: 30)]
        for cursor in cursors {
            let plan = try blog.store.blocking.read { connection in
                try connection.query(
                    "EXPLAIN QUERY PLAN \(MicroblogQueries.page(5, before: cursor))"
                ) {
                    row in try row[3] as String
                }
            }
            #expect(plan.contains { $0.contains("INDEX Status_timeline") }, "\(plan)")
            #expect(plan.allSatisfy { !$0.contains("TEMP B-TREE") }, "\(plan)")
            if cursor != nil { #expect(plan.allSatisfy { !$0.hasPrefix("SCAN") }, "\(plan)") }
        }
    }
}
