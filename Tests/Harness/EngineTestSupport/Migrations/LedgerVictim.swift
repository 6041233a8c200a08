import Testing

@testable import Lockstep

/// A database with two sets, and an operator with its key: no fields keyring, but any row of the engine's tables.
struct LedgerVictim {
    /// SQL that the operator wants to run.
    static let planted = "CREATE TABLE loot (x); INSERT INTO loot VALUES (1);"

    /// Two versions with ways up and down in one file each, and a third without a way down.
    static let files = [
        (
            name: "0001_film.sql",
            content: Scratch.up(
                "CREATE TABLE film (id INTEGER PRIMARY KEY, title TEXT);",
                down: "-- lockstep: allow loss of table film\nDROP TABLE film;")
        ),
        (
            name: "0002_year.sql",
            content: Scratch.up(
                "ALTER TABLE film ADD COLUMN year INTEGER;\nCREATE INDEX film_year ON film (year);",
                down:
                    "-- The index first.\nDROP INDEX film_year;\nALTER TABLE film DROP COLUMN year;"
            )
        ), (name: "0003_note.sql", content: Scratch.up("CREATE TABLE note (x);", down: "DROP TABLE note;")),
    ]

    /// Flyway's layout: ways down in separate files, and a repeatable migration.
    static let otherFiles = [
        (name: "V1__shelf.sql", content: "CREATE TABLE shelf (id INTEGER PRIMARY KEY);\n"),
        (name: "U1__shelf.sql", content: "DROP TABLE shelf;\n"),
        (name: "R__shelves.sql", content: "CREATE VIEW IF NOT EXISTS shelves AS SELECT id FROM shelf;\n"),
    ]

    static let objects: Set<String> = ["film", "film_year", "note", "shelf", "shelves"]

    let sets: [MigrationSet]
    let fields: [FieldKeys]

    init(fields: [FieldKeys] = []) throws {
        sets = [
            try MigrationSet(name: "films", files: Self.files),
            try MigrationSet(name: "shelves", layout: .flyway, files: Self.otherFiles),
        ]
        self.fields = fields
    }

    var films: MigrationSet { sets[0] }

    /// The migrated database in memory.
    func database() throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = fields
        let connection = try Connection.inMemory(options)
        for set in sets { _ = try Migrator(set).run(on: connection) }
        return connection
    }

    /// Runs SQL as the operator can, outside Lockstep.
    static func forge(_ sql: String, _ connection: borrowing Connection) throws {
        try connection.with(rights: .engine) { try connection.run(script: sql) }
    }

    /// The verification's findings: messages, with `error: ` before the one that ended the check early.
    func verdict(_ connection: borrowing Connection) throws -> [String] {
        do {
            return try LedgerCheck.run(connection, sets).findings.map {
                ($0.isFailure ? "failure: " : "notice: ") + $0.message
            }
        } catch let error as LockstepError {
            return ["error: \(error.code.rawValue) \(error.message)"]
        }
    }

    /// The error from `target`; nil if it ran.
    func refusal(
        of target: Plan.Target, _ connection: borrowing Connection, _ set: MigrationSet? = nil
    ) throws -> LockstepError.Code? {
        try Refusal.code { _ = try Migrator(set ?? films).run(target, on: connection) }
    }

    /// Every target on both sets: whatever the result, no SQL of the ledger may run.
    func tryEverything(_ connection: borrowing Connection) throws {
        let one = MigrationVersion(1)
        for target: Plan.Target in [
            .latest, .redo(1), .back(1), .version(one), .latest, .downTo(MigrationVersion(0)), .back(9),
        ] {
            for set in sets { _ = try refusal(of: target, connection, set) }
        }
    }

    /// Tables, views and indexes that belong neither to the files nor to the engine.
    static func strangers(_ connection: borrowing Connection) throws -> Set<String> {
        Set(
            try connection.query("SELECT name FROM main.sqlite_schema") { try $0[0] as String }
                .filter { !$0.hasPrefix("lockstep_") && !$0.hasPrefix("sqlite_") }
        ).subtracting(objects)
    }
}
