import Synchronization
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A migration that waits for the write lock", .timeLimit(.minutes(20))) struct WaitingRunnerTests {
    private let scratch: DatabaseScratch
    private let scripts = [
        Scratch.up("CREATE TABLE a (x);"),
        Scratch.up(
            """
            CREATE TABLE b (id INTEGER PRIMARY KEY, n);
            INSERT INTO b (n) VALUES (1), (2);
            -- lockstep: backfill b batch=1
            UPDATE b SET n = n + 10 WHERE id BETWEEN :first AND :last;
            """),
    ]

    init() throws {
        scratch = try DatabaseScratch()
        try scratch.fill(rows: 1)
    }

    private func events(_ run: (Migrator) throws -> Void, at event: (MigrationEvent) throws -> Void)
        throws -> [MigrationEvent]
    {
        var events: [MigrationEvent] = []
        try withoutActuallyEscaping(event) { event in
            try run(
                Migrator(try Scratch.set(scripts), timeout: .seconds(100_000)) {
                    events.append($0)
                    try event($0)
                })
        }
        return events
    }

    @Test("It reports the wait before the version begins, and goes on when the lock is free") func reported() throws {
        let holder = try scratch.open()
        let connection = try scratch.open()
        try holder.execute("BEGIN IMMEDIATE")
        let events = try events({ migrator in
            let report = try migrator.run(on: connection)
            #expect(report.steps.count == 2)
        }) { event in
            guard case .waiting = event else { return }
            try holder.execute("COMMIT")
        }
        let first: [MigrationEvent] = [
            .planned(versions: 2), .waiting(file: "test/0001_step.sql"),
            .began(set: "test", version: MigrationVersion(1), isUp: true),
        ]
        #expect(Array(events.prefix(3)) == first)
        #expect(events.count { if case .waiting = $0 { true } else { false } } == 1)
    }

    @Test("The program hears of a wait once, with the file that waits")
    func progress() throws {
        let holder = try scratch.open()
        let connection = try scratch.open()
        try holder.execute("BEGIN IMMEDIATE")
        var seen: [JobProgress.Phase] = []
        let report = try Migrator(try Scratch.set(scripts), timeout: .seconds(100_000))
            .run(on: connection) { progress in
                seen.append(progress.phase)
                if progress.phase.name == "waiting" { try holder.execute("COMMIT") }
            }
        #expect(report.steps.count == 2)
        #expect(seen.first == .waiting.of("test/0001_step.sql"))
        #expect(seen.count { $0.name == "waiting" } == 1)
    }

    @Test("The wait is not part of the step's time, in the report and in the ledger") func notCounted() throws {
        let holder = try scratch.open()
        var options = ConnectionOptions()
        options.progress = .ending(holder)
        let connection = try scratch.open(options)
        try holder.begin(.immediate)
        let start = Clock.monotonicMicroseconds
        let report = try Migrator(try Scratch.set(scripts), timeout: .seconds(100_000))
            .run(on: connection)
        let whole = Clock.time(since: start)
        #expect(report.steps.map { $0.waited > .zero } == [true, false])
        #expect(report.steps.reduce(.zero) { $0 + $1.duration + $1.waited } <= whole)
        #expect(report.steps.allSatisfy { $0.duration > .zero })
    }

    @Test(
        "An interruption of the wait names the file; nothing has begun, and the next run does it all"
    )
    func interrupted() throws {
        let holder = try scratch.open()
        let isStopping = Atomic(false)
        var options = ConnectionOptions()
        options.progress = ProgressHandler(every: 1 << 30) {
            !isStopping.load(ordering: .relaxed)
        }
        let connection = try scratch.open(options)
        try holder.execute("BEGIN IMMEDIATE")
        var events: [MigrationEvent] = []
        let migrator = Migrator(try Scratch.set(scripts), timeout: .seconds(100_000)) {
            events.append($0)
            if case .waiting = $0 { isStopping.store(true, ordering: .relaxed) }
        }
        let error = try #require(throws: LockstepError.self) {
            _ = try migrator.run(on: connection)
        }
        #expect(error.code == .interrupted)
        #expect(error.message == "test/0001_step.sql: interrupted while it waited for another connection's lock")
        #expect(error.hint == "run it again: it continues where it stopped")
        #expect(events == [.planned(versions: 2), .waiting(file: "test/0001_step.sql")])
        try holder.execute("COMMIT")
        isStopping.store(false, ordering: .relaxed)
        #expect(try Migrator(try Scratch.set(scripts)).run(on: connection).steps.count == 2)
    }

    @Test("A new database that another connection is writing to is waited for as well") func unmarked() throws {
        let holder = try scratch.open()
        let connection = try scratch.open()
        try holder.setHeaderField("application_id", 0)
        try holder.execute("BEGIN IMMEDIATE")
        let events = try events({ migrator in
            let report = try migrator.run(on: connection)
            #expect(report.steps.count == 2)
        }) { event in
            guard case .waiting = event else { return }
            try holder.execute("COMMIT")
        }
        #expect(events.first == .waiting(file: "\(scratch.path)"))
    }
}
