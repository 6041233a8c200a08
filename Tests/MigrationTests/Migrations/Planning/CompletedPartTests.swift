import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

@Suite("The digest of what has run of a version")
struct CompletedPartTests {
    private static let backfill = """
        -- lockstep: backfill a batch=5
        UPDATE a SET x = 1 WHERE rowid BETWEEN :first AND :last;
        """

    private func part(_ script: String) throws -> CompletedPart {
        let file = try #require(try Scratch.set(Scratch.up(script)).files.first)
        return try CompletedPart(file.up.segments(ScriptOrigin("test", .init())))
    }

    private func digest(
        _ script: String, _ segment: Int, _ cursor: Value = .null, hasBegun: Bool = false
    ) throws -> String {
        Hex.encode(
            try #require(
                try part(script).digest(segment: segment, cursor: cursor, hasBegun: hasBegun)))
    }

    /// Where `script` continues after what has run of another one.
    private func position(
        in script: String, after segment: Int, _ cursor: Value = .null, of other: String
    ) throws -> (segment: Int, cursor: Value)? {
        let unfinished = UnfinishedMigration(
            set: "test", version: MigrationVersion(1), name: "step", isUp: true, startedAt: 0,
            checksums: MigrationChecksums(bytes: [], text: [], tokens: []), down: nil, segment: segment, cursor: cursor,
            completed: try part(other).digest(segment: segment, cursor: cursor, hasBegun: false))
        return try part(script).position(of: unfinished).map { ($0.segment, $0.cursor) }
    }

    /// Computed with another implementation of SHA-256, from the description in CompletedPart.
    @Test("Known answers: nothing, a transaction, a begun backfill, a finished one, a bare statement")
    func knownAnswers() throws {
        let script = "CREATE TABLE a (x);\n" + Self.backfill
        #expect(try digest(script, 0) == "78e0afb5dda5943ffd46c20a403a2a6c318d422869de8f412c423cda3efbac99")
        #expect(try digest(script, 1) == "688992e4ba77472e31c62d3a8d6a22864fea23fb186a805a3138ff7e3de2f7aa")
        #expect(
            try digest(script, 1, .integer(5)) == "1057a2070af737fd00c48a8422176fde3b173c599464e0e7475f4116d24c3787")
        #expect(try digest(script, 2) == "73b92f0ebed8c7b82a5e9e5ef32e4078bc427c567dbe5900d1eeda8aaa695d1c")
        let bare = "-- lockstep: no transaction\nCREATE TABLE a (x);\nCREATE TABLE b (x);"
        #expect(try digest(bare, 0, .integer(20)) == "270f376d8b34c3f58b259fcc8f0f3a1facefbed63f3812071521f106ecb5b62f")
    }

    @Test("White space, comments, the case of words, batch sizes and declarations may change") func likeness() throws {
        let one = "CREATE TABLE a (x);\n" + Self.backfill + "\nCREATE TABLE b (y);"
        let other = """
            -- lockstep: allow loss of table a
            create table a (x); -- of old
            -- lockstep: allow loss of table b
            -- lockstep: backfill a batch=70
            UPDATE a SET x = 1
            WHERE rowid BETWEEN :first AND :last;
            CREATE TABLE c (z);
            """
        for (segment, cursor) in [(0, Value.null), (1, .null), (1, .integer(3)), (2, .null)] {
            let found = try #require(try position(in: other, after: segment, cursor, of: one))
            // The two declarations at the beginning of the other script are part of its first transaction.
            #expect(found.cursor == cursor, "after \(segment)")
            #expect(try digest(other, found.segment, cursor) == digest(one, segment, cursor))
        }
        #expect(try position(in: other, after: 3, of: one) == nil)
    }

    @Test(
        "What has run is not the beginning of a script with another one there",
        arguments: [
            "CREATE TABLE a (y);\n" + backfill,
            "CREATE TABLE a (x); CREATE TABLE b (x);\n" + backfill,
            backfill,
            "CREATE TABLE a (x);\n" + backfill.replacing("backfill a", with: "backfill b"),
            "CREATE TABLE a (x);\nCREATE TABLE c (x);", "-- lockstep: no transaction\nCREATE TABLE a (x);\n" + backfill,
        ])
    func difference(script: String) throws {
        let one = "CREATE TABLE a (x);\n" + Self.backfill
        #expect(try position(in: script, after: 1, .integer(5), of: one) == nil)
        #expect(try position(in: one, after: 1, .integer(5), of: one) != nil)
    }

    @Test("The statement of a begun backfill may change; of a finished one it may not") func statement() throws {
        let one = "CREATE TABLE a (x);\n" + Self.backfill
        let other = one.replacing("x = 1", with: "x = 2")
        let found = try #require(try position(in: other, after: 1, .integer(5), of: one))
        #expect(found == (1, .integer(5)))
        #expect(try position(in: other, after: 2, of: one) == nil)
    }

    @Test("An offset of bare statements follows the text, also over a declaration that cuts it") func offsets() throws {
        let one = "-- lockstep: no transaction\nCREATE TABLE a (x);CREATE TABLE b (x);CREATE TABEL c;"
        let other = """
            -- lockstep: no transaction
            /* moved */ CREATE TABLE a (x);
            -- lockstep: allow loss of table a
            CREATE  TABLE b (x);
            CREATE TABLE c (x);
            """
        // The text begins with the end of the line before it.
        let first = try #require(try position(in: other, after: 0, .integer(20), of: one))
        #expect(first.segment == 0)
        let second = try #require(try position(in: other, after: 0, .integer(39), of: one))
        #expect(second.segment == 1 && second.cursor != .null)
    }

    @Test("A run cannot have stopped within a statement, in a text, or after the last segment")
    func impossible() throws {
        let script = "-- lockstep: no transaction\nCREATE TABLE a (x);CREATE TABLE b (x);"
        #expect(try part(script).digest(segment: 0, cursor: .integer(20), hasBegun: false) != nil)
        for cursor in [Value.integer(25), .integer(-1), .integer(1000), .text("20")] {
            #expect(try part(script).digest(segment: 0, cursor: cursor, hasBegun: false) == nil)
        }
        #expect(try part(script).digest(segment: 1, cursor: .null, hasBegun: false) != nil)
        #expect(try part(script).digest(segment: 2, cursor: .null, hasBegun: false) == nil)
        #expect(try part(script).digest(segment: -1, cursor: .null, hasBegun: false) == nil)
    }

    @Test("A change of a sealed column that has begun may not change but in its batch size") func sealing() throws {
        let one = "-- lockstep: protect a.x dataset=d batch=10"
        let begun = try digest(one, 0, hasBegun: true)
        #expect(try begun != digest(one, 0) && begun != digest(one, 1))
        let larger = one.replacing("batch=10", with: "batch=20")
        #expect(try begun == digest(larger, 0, hasBegun: true))
        for other in [
            "protect a.y dataset=d", "protect a.x dataset=e", "protect a.x dataset=d padding=32",
        ] {
            #expect(try begun != digest("-- lockstep: " + other, 0, hasBegun: true))
        }
    }
}
