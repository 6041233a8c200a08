import Foundation
import Lockstep
import Subprocess
import SystemPackage
import TestSupport
import Testing

/// Ctrl-C while `lockstep migrate` is running, on a terminal as a person sees it.
@Suite("Interrupted by hand", .enabled(if: Conversation.isPossible, "no python3")) struct InterruptedMigrationTests {
    private let project: NotesProject

    init() throws { project = try NotesProject() }

    private func write(_ version: Int, _ script: String) throws {
        try project.write(version, "-- lockstep: up\n\(script)")
    }

    private func tool(_ arguments: String..., typing exchanges: [String] = []) async throws
        -> Conversation
    {
        try await Conversation.hold(in: project.folder, exchanges, arguments + ["--key-file", "k"])
    }

    private func number(_ sql: String) async throws -> Int {
        let answer = try await tool("query", sql)
        let last = answer.shown.split(separator: "\n").last.flatMap { Int($0) }
        return try #require(last, "\(sql) answered \(answer.status): \(answer.shown)")
    }

    /// Ctrl-C ends the run with "failed", and the tool reports it.
    private func interrupt(at prompt: String) async throws {
        let run = try await tool("migrate", "-m", "notes", typing: [prompt, "\u{3}"])
        #expect(run.status == .exited(1), "\(run.shown)")
        #expect(run.shown.contains("error: "), "\(run.shown)")
        #expect(run.shown.contains("interrupted"), "\(run.shown)")
        #expect(run.shown.contains("hint: run it again: "), "\(run.shown)")
        #expect(!run.shown.contains("fix the"), "\(run.shown)")
    }

    private func expectCompletion() async throws {
        let again = try await tool("migrate", "-m", "notes")
        #expect(again.status == .exited(0), "\(again.shown)")
        let verified = try await tool("verify", "-m", "notes")
        #expect(verified.status == .exited(0), "\(verified.shown)")
    }

    @Test("In the middle of a statement: the version is rolled back, those before it stay")
    func statement() async throws {
        try write(1, "CREATE TABLE a (x);\nINSERT INTO a VALUES (1), (2), (3);")
        // However late the key is typed on a busy machine: the statement ends by itself only after a minute or more. It
        // does end, so that nothing runs for ever if the key has no effect.
        try write(2, script(rows: 400_000_000))
        _ = try await tool("init")
        try await interrupt(at: "up notes 2")
        #expect(try await number("SELECT count(*) FROM a") == 3)
        #expect(try await number("SELECT count(*) FROM sqlite_schema WHERE name = 'b'") == 0)
        #expect(try await number("SELECT count(*) FROM lockstep_migration") == 1)
        #expect(try await number("PRAGMA user_version") == 1)
        // A version that was never applied can still be changed.
        try write(2, script(rows: 1000))
        try await expectCompletion()
        #expect(try await number("SELECT max(x) FROM a") == 1000)
        #expect(try await number("SELECT count(*) FROM lockstep_migration") == 2)
    }

    private func script(rows: Int) -> String {
        """
        DELETE FROM a WHERE 0;
        INSERT INTO a SELECT count(*) FROM (WITH RECURSIVE c (x) AS
            (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT \(rows)) SELECT x FROM c);
        CREATE TABLE b (y);
        """
    }

    @Test("In the middle of a backfill: the finished batches stay, and none is done twice")
    func backfill() async throws {
        try write(
            1,
            """
            CREATE TABLE a (id INTEGER PRIMARY KEY, n INTEGER);
            INSERT INTO a (n) WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 1200)
                SELECT 5 FROM c;
            """)
        // Each batch takes some milliseconds, so that the terminal shows the progress in rows early on.
        try write(
            2,
            """
            -- lockstep: backfill a batch=4
            UPDATE a SET n = n + 1000 WHERE id BETWEEN :first AND :last
                AND 30000 = (SELECT count(*) FROM (WITH RECURSIVE c (x) AS
                    (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 30000) SELECT x FROM c));
            """)
        _ = try await tool("init")
        try await interrupt(at: " of 1200 rows")
        let done = try await number("SELECT count(*) FROM a WHERE n = 1005")
        #expect(done > 0 && done < 1200 && done % 4 == 0, "\(done)")
        #expect(try await number("SELECT count(*) FROM a WHERE n = 5") == 1200 - done)
        #expect(try await number("SELECT max(id) FROM a WHERE n = 1005") == done)
        #expect(try await number("SELECT count(*) FROM lockstep_migration") == 1)
        try await expectCompletion()
        #expect(try await number("SELECT count(*) FROM a WHERE n = 1005") == 1200)
        #expect(try await number("SELECT count(*) FROM lockstep_migration") == 2)
    }

    @Test(
        "While it waits for another program's lock: nothing has begun, and the other program goes on"
    )
    func waiting() async throws {
        try write(1, "CREATE TABLE a (x);")
        _ = try await tool("init")
        let keyring = try project.keyring(of: "a")
        let key = try keyring.databaseKey(for: project.folder.file("a.db"))
        let holder = try Connection.open(project.folder.file("a.db"), key: key)
        try holder.execute("BEGIN IMMEDIATE")
        try await interrupt(at: "waiting for another connection's write lock")
        try holder.execute("COMMIT")
        #expect(try await number("SELECT count(*) FROM sqlite_schema WHERE name = 'a'") == 0)
        try await expectCompletion()
    }
}
