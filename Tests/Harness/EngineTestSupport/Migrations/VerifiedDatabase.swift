import SystemPackage
import TestSupport

@testable import Lockstep

/// A migrated database to verify, whose migrations all have a way down.
struct VerifiedDatabase {
    static let files = [
        (
            name: "0001_a.sql",
            content: """
            -- lockstep: up
            CREATE TABLE parent (id INTEGER PRIMARY KEY, name TEXT NOT NULL);
            CREATE TABLE child (id INTEGER PRIMARY KEY, parent INTEGER REFERENCES parent (id));
            CREATE INDEX child_by_parent ON child (parent);
            -- lockstep: down
            -- lockstep: allow loss of table child
            -- lockstep: allow loss of table parent
            DROP TABLE child;
            DROP TABLE parent;
            """
        ),
        (
            name: "0002_b.sql",
            content: """
            -- lockstep: up
            ALTER TABLE child ADD COLUMN extra TEXT;
            -- lockstep: down
            ALTER TABLE child DROP COLUMN extra;
            """
        ),
    ]

    let scratch: DatabaseScratch
    let sets: [MigrationSet]

    init(
        _ sets: [MigrationSet]? = nil, rows: Int = 50, name: String = "the name of number"
    ) throws {
        scratch = try DatabaseScratch()
        self.sets = try sets ?? [MigrationSet(name: "test", files: Self.files)]
        let connection = try scratch.create()
        for set in self.sets { _ = try Migrator(set).run(on: connection) }
        guard sets == nil else { return }
        try connection.write { connection in
            for id in 1...rows {
                try connection.execute("INSERT INTO parent VALUES (?, ?)", id, "\(name) \(id)")
                try connection.execute("INSERT INTO child (parent) VALUES (?)", id)
            }
        }
    }

    func verification(deep: Bool = false) -> Verification {
        var verification = Verification(scratch.path, sets: sets)
        verification.isDeep = deep
        return verification
    }

    func report(deep: Bool = false) throws -> VerificationReport {
        try verification(deep: deep).run(key: scratch.key())
    }

    /// One check's outcome.
    func outcome(
        _ check: VerificationReport.Check, deep: Bool = false
    ) throws -> VerificationReport.Outcome? {
        try report(deep: deep).outcomes.first { $0.check == check }
    }
}

extension VerificationReport {
    /// The checks that failed.
    var failed: [Check] { outcomes.filter(\.hasFailed).map(\.check) }
    /// All messages of any check.
    var messages: [String] { outcomes.flatMap(\.findings).map(\.message) }
}
