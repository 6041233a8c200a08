import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("A commit that a deferred foreign key stops names the row")
struct DeferredKeyTests {
    private static let schema = """
        CREATE TABLE artist (id INTEGER PRIMARY KEY);
        CREATE TABLE album (id INTEGER PRIMARY KEY, artist INTEGER REFERENCES artist (id) DEFERRABLE INITIALLY DEFERRED);
        CREATE TABLE label (name TEXT PRIMARY KEY, album INTEGER REFERENCES album DEFERRABLE INITIALLY DEFERRED) WITHOUT ROWID;
        INSERT INTO artist VALUES (1);
        INSERT INTO album VALUES (1, 1);
        """

    private func message(_ sql: SQL, _ store: Store) -> (message: String, table: String?)? {
        do {
            try store.blocking.write { try $0.execute(sql) }
            return nil
        } catch let error as LockstepError {
            #expect(error.code == .constraint && error.hint != nil && error.context.sqliteCode == 787)
            return (error.message, error.context.table)
        } catch {
            return ("\(error)", nil)
        }
    }

    @Test("Row, child and parent are in the message, and nothing is written")
    func names() throws {
        let store = try Store.inMemory()
        try store.blocking.write { try $0.run(script: Self.schema) }
        let album = message("INSERT INTO album VALUES (7, 40)", store)
        #expect(album?.message.contains("row 7 of album refers to a row of artist") == true)
        #expect(album?.table == "album")
        let artist = message("DELETE FROM artist", store)
        #expect(artist?.message.contains("row 1 of album refers to a row of artist") == true)
        let label = message("INSERT INTO label VALUES ('x', 9)", store)
        #expect(label?.message.contains("a row of label refers to a row of album") == true)
        let left = try store.blocking.read { db in
            try db.query(
                "SELECT (SELECT count(*) FROM artist), (SELECT count(*) FROM album), (SELECT count(*) FROM label)",
                as: (Int, Int, Int).self)
        }
        #expect(left.first ?? (0, 0, 0) == (1, 1, 0))
        #expect(message("INSERT INTO album VALUES (2, 1)", store) == nil)
    }

    @Test("The program's progress handler is in force again afterwards")
    func handler() throws {
        var options = ConnectionOptions()
        options.progress = ProgressHandler(every: 1000) { false }
        let db = try Connection.inMemory(options)
        try db.run(script: Self.schema)
        Refusal.expect(.constraint) {
            try db.write { try $0.execute("INSERT INTO album VALUES (7, 40)") }
        }
        Refusal.expect(.interrupted) {
            _ = try db.value(
                "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 100000) SELECT max(i) FROM n",
                as: Int.self)
        }
    }
}
