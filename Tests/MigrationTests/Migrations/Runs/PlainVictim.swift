import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A database with rows for each kind of migration, and the check that it is always at a border between two
/// transactions of its migrations, whatever has happened.
struct PlainVictim {
    /// The kind of the pending migration.
    enum Kind: String, CaseIterable, Sendable {
        case plain, rebuild, backfill
    }

    static let rows = 500

    private let victim: MigrationVictim
    private let usesJournal: Bool
    /// The whole content of the database before the first transaction, and after each of them.
    let borders: [[String]]

    init(_ kind: Kind, journal: Bool = false) throws {
        usesJournal = journal
        let database = try DatabaseScratch()
        do {
            let connection = try database.create()
            if journal {
                try connection.with(rights: .engine) {
                    try connection.setPragma("journal_mode", "DELETE")
                }
            }
            _ = try Migrator(Scratch.set(Self.first(kind))).run(on: connection)
            try connection.write { connection in
                for number in 1...Self.rows {
                    try connection.execute(
                        "INSERT INTO item (name, size) VALUES (?, ?)",
                        "\(number) " + String(repeating: "n", count: 150), number)
                }
                // A number that was issued once.
                try connection.execute("INSERT INTO item (id, name) VALUES (9000, 'gone')")
                try connection.execute("DELETE FROM item WHERE id = 9000")
                guard kind == .rebuild else { return }
                try connection.execute("INSERT INTO part (item) SELECT id FROM item WHERE id > 20")
            }
        }
        victim = try MigrationVictim(
            database, migratedBy: [Self.first(kind)] + Self.pending(kind))
        let copy = try MigrationVictim(copying: victim)
        var borders = [try Self.content(copy.database)]
        _ = try Migrator(copy.set) { event in
            switch event {
            case .committed, .advanced: borders.append(try Self.content(copy.database))
            default: break
            }
        }.run(on: copy.database.open())
        self.borders = borders
    }

    init(copying other: PlainVictim) throws {
        victim = try MigrationVictim(copying: other.victim)
        usesJournal = other.usesJournal
        borders = other.borders
    }

    // MARK: The migrations

    private static func first(_ kind: Kind) -> String {
        let item = "CREATE TABLE item (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, size INTEGER);"
        guard kind == .rebuild else { return Scratch.up(item) }
        return Scratch.up(
            item + """
                CREATE INDEX item_by_name ON item (name);
                CREATE TABLE part (id INTEGER PRIMARY KEY,
                    item INTEGER NOT NULL REFERENCES item (id) ON DELETE CASCADE);
                CREATE TABLE log (what TEXT);
                CREATE TRIGGER item_log AFTER INSERT ON item WHEN new.id > 9000 BEGIN
                    INSERT INTO log VALUES (CASE WHEN new.id % 2 THEN 'big;' ELSE 'small;' END);
                END;
                CREATE VIEW big AS SELECT id, name FROM item WHERE id > 250;
                """)
    }

    private static func pending(_ kind: Kind) -> [String] {
        switch kind {
        case .plain:
            [
                Scratch.up(
                    """
                    ALTER TABLE item ADD COLUMN mark TEXT;
                    UPDATE item SET mark = 'm' || id;
                    """),
                Scratch.up(
                    """
                    CREATE TABLE small (item INTEGER PRIMARY KEY, name TEXT);
                    INSERT INTO small SELECT id, name FROM item WHERE size < 200;
                    CREATE INDEX small_by_name ON small (name);
                    """),
                Scratch.up(
                    """
                    -- lockstep: allow loss of table item
                    DELETE FROM item WHERE id IN (SELECT item FROM small WHERE item % 7 = 0);
                    UPDATE small SET name = upper(name);
                    """),
            ]
        case .rebuild:
            [
                Scratch.up(
                    """
                    -- lockstep: rebuild table item
                    -- lockstep: set name = upper(name)
                    -- lockstep: drop column size
                    CREATE TABLE item (
                        id INTEGER PRIMARY KEY AUTOINCREMENT,
                        name TEXT NOT NULL CHECK (name <> ''),
                        parity INTEGER GENERATED ALWAYS AS (id % 2) VIRTUAL
                    );
                    """),
                Scratch.up("INSERT INTO item (name) VALUES ('next');"),
            ]
        case .backfill:
            [
                Scratch.up(
                    """
                    ALTER TABLE item ADD COLUMN mark TEXT;
                    -- lockstep: backfill item batch=120
                    UPDATE item SET size = size + 1000, mark = name
                    WHERE id BETWEEN :first AND :last;
                    CREATE INDEX item_by_mark ON item (mark);
                    """),
                Scratch.up("CREATE TABLE last (x);\nINSERT INTO last VALUES (1), (2);"),
            ]
        }
    }

    // MARK: The worker

    func run(
        _ action: String, _ fault: String = "kill", at call: Int = .max >> 33
    ) async throws -> FaultyWorker.Run { try await victim.run(action, fault, at: call) }

    func makeLost() throws { try victim.makeLost() }

    // MARK: What must hold

    /// Everything but the times in the engine's own tables.
    private static func content(_ database: DatabaseScratch) throws -> [String] {
        try DeploymentScratch.content(database.open(), without: ["applied_at", "duration", "started_at"])
    }

    /// The border that the database is at; nil for none. At a border, rows, schema, ledger, pages and the note of a
    /// version's progress are those of a run without a fault.
    func border() throws -> Int? {
        let connection = try victim.database.open()
        try IntegrityPragma.require(connection)
        // A rollback journal does not save the old content of a free page before its first use. After a torn write
        // the page is free again with arbitrary content. The check above has read all other pages.
        let free = try connection.value("PRAGMA freelist_count", as: Int.self) ?? 0
        let audit = try PageAudit(victim.database.path).run(key: victim.database.key())
        guard audit.damagedFrames.isEmpty, audit.strayBytes == 0, audit.damagedPages.count <= (usesJournal ? free : 0)
        else { return nil }
        return borders.firstIndex(of: try Self.content(victim.database))
    }

    /// Expects that the next run completes, with the same result as a run without a fault.
    func expectCompletion(_ context: Comment) throws {
        do {
            let connection = try victim.database.open()
            _ = try Migrator(victim.set).run(on: connection)
        }
        #expect(try border() == borders.count - 1, context)
        for name in try victim.names where name != "data.db" {
            // SQLite leaves an empty journal, and rolls nothing back from it.
            let bytes = try Bytes.read(victim.database.folder.file(name))
            #expect(name == "data.db-journal", "\(context.rawValue): \(name)")
            #expect(bytes.first ?? 0 == 0, "\(context.rawValue): \(name)")
        }
        let report = try Verification(victim.database.path, sets: [victim.set]).run(key: victim.database.key())
        #expect(report.isClean, "\(context.rawValue): \(report)")
    }
}
