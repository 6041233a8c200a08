import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// What SQLite reports of a statement before it runs, and what the guard must know besides.
@Suite("What a statement touches")
struct GuardNoticeTests {
    /// Records what is announced.
    private final class Recorder: StatementWatch {
        var uses: [TableUse] = []

        func begins(line: Int) {}
        func willRun(_ sql: String, _ use: TableUse) throws(LockstepError) { uses.append(use) }
        func didRebuild(_ table: SQLName, copying columns: Set<SQLName>) {}
        func willRebuild(_ table: SQLName, expressions: [SQLName: String], without dropped: Set<SQLName>) {}

        var written: Set<SQLName> { all(\.written) }
        var deleted: Set<SQLName> { all(\.deleted) }

        private func all(_ kind: KeyPath<TableUse, Set<SQLName>>) -> Set<SQLName> {
            Set(uses.flatMap { $0[keyPath: kind] }.filter { !$0.hasPrefix("sqlite_") })
        }
    }

    private func database(_ setup: String) throws -> Connection {
        let connection = try Connection.inMemory()
        try connection.run(script: setup)
        return connection
    }

    private static let family = """
        CREATE TABLE parent (id INTEGER PRIMARY KEY, code UNIQUE);
        CREATE TABLE child (id INTEGER PRIMARY KEY, p REFERENCES parent ON DELETE CASCADE ON UPDATE CASCADE);
        CREATE TABLE grandchild (c REFERENCES child ON DELETE CASCADE);
        CREATE TABLE cousin (p REFERENCES parent (code) ON DELETE SET NULL);
        CREATE TABLE log (x);
        """

    private func recorded(_ setup: String, _ sql: String) throws -> Recorder {
        let connection = try database(setup)
        let recorder = Recorder()
        connection.core.watch = recorder
        defer { connection.core.watch = nil }
        try connection.with(rights: .migration) { try connection.run(script: sql) }
        return recorder
    }

    @Test("Foreign-key actions are reported, down to the grandchildren")
    func cascades() throws {
        let recorder = try recorded(Self.family, "DELETE FROM parent WHERE id = 1")
        #expect(recorder.deleted == ["parent", "child", "grandchild"])
        #expect(recorder.written == ["parent", "child", "grandchild", "cousin"])
    }

    @Test("Actions of a new foreign key are reported with the columns that they change") func keyUpdates() throws {
        let recorder = try recorded(Self.family, "UPDATE parent SET id = id + 1")
        #expect(recorder.written == ["parent", "child"])
        let columns = recorder.uses.flatMap(\.updated).map {
            "\($0.table.folded).\($0.column.folded)"
        }
        #expect(Set(columns) == ["parent.id", "child.p"])
    }

    @Test("Dropping a table first deletes its rows, and so the children's")
    func drop() throws {
        let recorder = try recorded(Self.family, "DROP TABLE parent")
        #expect(recorder.deleted.isSuperset(of: ["parent", "child", "grandchild"]))
        #expect(recorder.uses.first?.schema?.dropped == ["parent"])
    }

    @Test("Trigger actions are reported, including nested triggers")
    func triggers() throws {
        let setup =
            Self.family + """
                CREATE TRIGGER one AFTER INSERT ON log BEGIN DELETE FROM cousin; END;
                CREATE TRIGGER two AFTER DELETE ON cousin BEGIN DELETE FROM grandchild; END;
                """
        let recorder = try recorded(setup, "INSERT INTO log VALUES (1)")
        #expect(recorder.deleted == ["cousin", "grandchild"])
    }

    @Test("A view is written through its triggers")
    func views() throws {
        let setup =
            Self.family + """
                CREATE VIEW v AS SELECT id FROM parent;
                CREATE TRIGGER r INSTEAD OF DELETE ON v BEGIN DELETE FROM log; END;
                """
        #expect(try recorded(setup, "DELETE FROM v").deleted == ["v", "log"])
    }

    @Test("REPLACE is not reported, so the guard looks for the word")
    func replace() throws {
        let recorder = try recorded(Self.family, "REPLACE INTO parent VALUES (1, 2)")
        let use = try #require(recorder.uses.first)
        #expect(!use.deleted.contains("parent"))
        let connection = try database(Self.family)
        let catalogue = try SchemaCatalogue(connection.core)
        #expect(!catalogue.mayReplace)
        var keys = ForeignKeys()
        _ = try keys.update(.init(added: catalogue.objects), connection.core)
        let effect = StatementEffect("REPLACE INTO parent VALUES (1, 2)", use, keys, replaces: true)
        #expect(effect.losing == ["parent", "child", "grandchild", "cousin"])
        // Reports what the deleted rows take with them.
        let reported = StatementEffect("INSERT …", use, keys, replaces: false)
        #expect(reported.losing == ["child", "grandchild"])
    }

    @Test("Reads are not reported at all")
    func reading() throws {
        #expect(try recorded(Self.family, "SELECT * FROM parent; PRAGMA table_list").uses.isEmpty)
    }

    @Test("A statement prepared before a trigger was created reports the current effect") func stale() throws {
        let connection = try database(Self.family)
        let recorder = Recorder()
        connection.core.watch = recorder
        defer { connection.core.watch = nil }
        let statement = try connection.prepare("INSERT INTO log VALUES (?)")
        try connection.execute("CREATE TRIGGER r AFTER INSERT ON log BEGIN DELETE FROM cousin; END")
        recorder.uses = []
        try statement.run(1)
        #expect(recorder.deleted == ["cousin"])
    }

    @Test("An update of other columns leaves the children alone")
    func otherColumns() throws {
        let connection = try database(Self.family)
        let catalogue = try SchemaCatalogue(connection.core)
        var keys = ForeignKeys()
        _ = try keys.update(.init(added: catalogue.objects), connection.core)
        func children(_ table: SQLName, _ column: SQLName) -> Set<SQLName> {
            var use = TableUse()
            use.written = [table]
            use.updated = [(table, column)]
            return StatementEffect("UPDATE …", use, keys, replaces: false).children
        }
        #expect(children("parent", "code") == ["cousin"])
        #expect(children("parent", "ID") == ["child"])
        #expect(children("parent", "ROWID") == ["child", "cousin"])
        #expect(children("child", "p") == ["child"])
        #expect(children("child", "id") == ["grandchild"])
        #expect(children("log", "x").isEmpty)
    }

    @Test(
        "ALTER TABLE is read word by word",
        arguments: [
            ("ALTER TABLE t RENAME TO u", AlterStatement.renameTable("t", to: "u")),
            ("alter table main . \"t\" rename /* so */ to u", .renameTable("t", to: "u")),
            ("ALTER TABLE t RENAME COLUMN A TO b", .renameColumn("a", to: "b")),
            ("ALTER TABLE t RENAME \"A b\" TO b", .renameColumn("a b", to: "b")),
            ("ALTER TABLE t RENAME column TO b", .renameColumn("column", to: "b")),
            ("ALTER TABLE t ADD c", .addColumn(refers: false)),
            ("ALTER TABLE t ADD COLUMN c References u", .addColumn(refers: true)),
            ("ALTER TABLE t DROP COLUMN C", .dropColumn("c")),
            ("ALTER TABLE t DROP c", .dropColumn("c")),
            ("ALTER TABLE t", nil), ("DROP TABLE t", nil), ("", nil),
        ] as [(String, AlterStatement?)])
    func alter(_ sql: String, _ expected: AlterStatement?) {
        #expect(AlterStatement(sql) == expected)
    }
}
