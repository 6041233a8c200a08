import Testing

@testable import Lockstep

/// A database with two sets, and somebody who has its key: no fields keyring, and any row of the engine's tables.
struct LedgerVictim {
    /// What the operator would like to run.
    static let planted = "CREATE TABLE loot (x); INSERT INTO loot VALUES (1);"

    /// Two versions and their ways down in one file each, and a third that has none.
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
        ),
        (
            name: "0003_note.sql",
            content: Scratch.up("CREATE TABLE note (x);", down: "DROP TABLE note;")
        ),
    ]

    /// Flyway's layout: ways down in files of their own, and a repeatable migration.
    static let otherFiles = [
        (name: "V1__shelf.sql", content: "CREATE TABLE shelf (id INTEGER PRIMARY KEY);\n"),
        (name: "U1__shelf.sql", content: "DROP TABLE shelf;\n"),
        (
            name: "R__shelves.sql",
            content: "CREATE VIEW IF NOT EXISTS shelves AS SELECT id FROM shelf;\n"
        ),
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

    /// The database in memory, migrated.
    func database() throws -> Connection {
        var options = ConnectionOptions()
        options.fieldKeys = fields
        let connection = try Connection.inMemory(options)
        for set in sets { _ = try Migrator(set).run(on: connection) }
        return connection
    }

    /// Runs SQL as the operator may, outside of Lockstep.
    static func forge(_ sql: String, _ connection: borrowing Connection) throws {
        try connection.with(rights: .engine) { try connection.run(script: sql) }
    }

    /// What verification says of the ledger: messages, `error: ` before the one that kept the check from its end.
    func verdict(_ connection: borrowing Connection) throws -> [String] {
        do {
            return try LedgerCheck.run(connection, sets).findings.map {
                ($0.isFailure ? "failure: " : "notice: ") + $0.message
            }
        } catch let error as LockstepError {
            return ["error: \(error.code.rawValue) \(error.message)"]
        }
    }

    /// What `target` is refused with; nil if it ran.
    func refusal(
        of target: Plan.Target, _ connection: borrowing Connection, _ set: MigrationSet? = nil
    ) throws -> LockstepError.Code? {
        try Refusal.code { _ = try Migrator(set ?? films).run(target, on: connection) }
    }

    /// Every target there is, on both sets: whatever it comes to, no SQL of the ledger may run.
    func tryEverything(_ connection: borrowing Connection) throws {
        let one = MigrationVersion(1)
        for target: Plan.Target in [
            .latest, .redo(1), .back(1), .version(one), .latest, .downTo(MigrationVersion(0)),
            .back(9),
        ] {
            for set in sets { _ = try refusal(of: target, connection, set) }
        }
    }

    /// Tables, views and indexes that are neither the files' nor the engine's.
    static func strangers(_ connection: borrowing Connection) throws -> Set<String> {
        Set(
            try connection.query("SELECT name FROM main.sqlite_schema") { try $0[0] as String }
                .filter { !$0.hasPrefix("lockstep_") && !$0.hasPrefix("sqlite_") }
        ).subtracting(objects)
    }
}
