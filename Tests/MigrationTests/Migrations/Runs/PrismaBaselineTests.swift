import Foundation
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Databases that Prisma has migrated.
@Suite("A baseline from Prisma's table")
struct PrismaBaselineTests {
    private static let names = ["20240101000000_init", "20240102000000_more"]
    private static let scripts = [
        "-- CreateTable\nCREATE TABLE \"User\" (\"id\" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT);\n",
        "-- AlterTable\nALTER TABLE \"User\" ADD COLUMN \"name\" TEXT;\n",
    ]

    private static func set(_ count: Int = 2) throws -> MigrationSet {
        try MigrationSet(
            name: "shop", layout: .prisma,
            files: zip(names, scripts).prefix(count).map {
                (name: "\($0)/migration.sql", content: $1)
            } + [(name: "migration_lock.toml", content: "provider = \"sqlite\"\n")])
    }

    /// A database as Prisma leaves it.
    /// - Parameter rows: For each migration, its checksum if it is not the file's, and the end and undoing of its run.
    private static func database(
        _ rows: [(checksum: String?, finished: String, rolledBack: String)]
    ) throws -> Connection {
        let connection = try Connection.inMemory()
        try connection.execute(
            """
            CREATE TABLE "_prisma_migrations" (
                "id" TEXT PRIMARY KEY NOT NULL, "checksum" TEXT NOT NULL, "finished_at" DATETIME,
                "migration_name" TEXT NOT NULL, "logs" TEXT, "rolled_back_at" DATETIME,
                "started_at" DATETIME NOT NULL DEFAULT current_timestamp,
                "applied_steps_count" INTEGER UNSIGNED NOT NULL DEFAULT 0
            )
            """)
        for (index, row) in rows.enumerated() {
            let place = index % names.count
            if row.finished != "NULL", row.rolledBack == "NULL" {
                try connection.execute(SQL(verbatim: scripts[place]))
            }
            let digest = try HashFunction.sha256.digest(Array(scripts[place].utf8).span)
            try connection.execute(
                """
                INSERT INTO _prisma_migrations
                VALUES ('\(verbatim: String(index))', '\(verbatim: row.checksum ?? Hex.encode(digest))',
                    \(verbatim: row.finished), '\(verbatim: names[place])', NULL, \(verbatim: row.rolledBack),
                    \(verbatim: String(1_704_067_200_000 + index)), 1)
                """)
        }
        return connection
    }

    @Test("what it records is recorded, the next version is pending, and the table is no drift")
    func recorded() throws {
        let connection = try Self.database([(nil, "1704067200001", "NULL")])
        let baseline = try Baseline(Self.set(), asRecordedIn: connection)
        #expect(try baseline.record(on: connection) == 1)
        let report = try Migrator(Self.set()).run(on: connection)
        #expect(report.steps.map(\.version.description) == ["20240102000000"])
        let found = try SchemaSnapshot(connection)
        #expect(try DriftCheck.differences(of: found, on: connection, [Self.set()], .init()) == [])
    }

    @Test("a checkout with the line ends of Windows is the same")
    func lineEnds() throws {
        let connection = try Self.database([(nil, "1", "NULL"), (nil, "2", "NULL")])
        let set = try MigrationSet(
            name: "shop", layout: .prisma,
            files: zip(Self.names, Self.scripts).map {
                (name: "\($0)/migration.sql", content: $1.replacing("\n", with: "\r\n"))
            } + [(name: "migration_lock.toml", content: "provider = \"sqlite\"\r\n")])
        #expect(try Baseline(set, asRecordedIn: connection).version.description == "20240102000000")
    }

    @Test("a run that was rolled back does not count")
    func rolledBack() throws {
        let connection = try Self.database([
            (nil, "1", "NULL"), (nil, "NULL", "2"),
        ])
        #expect(try Baseline(Self.set(), asRecordedIn: connection).version.description == "20240101000000")
    }

    @Test("what does not fit the files is refused")
    func refused() throws {
        Refusal.expect(.migrationUnfinished) {
            _ = try Baseline(
                Self.set(), asRecordedIn: Self.database([(nil, "NULL", "NULL")]))
        }
        Refusal.expect(.migrationChanged) {
            _ = try Baseline(
                Self.set(), asRecordedIn: Self.database([(String(repeating: "0", count: 64), "1", "NULL")]))
        }
        Refusal.expect(.migrationMissing) {
            _ = try Baseline(Self.set(1), asRecordedIn: Self.database([(nil, "1", "NULL"), (nil, "1", "NULL")]))
        }
        let second = try Self.database([(nil, "1", "NULL"), (nil, "1", "NULL")])
        try second.execute("DELETE FROM _prisma_migrations WHERE id = '0'")
        Refusal.expect(.versionGap) {
            _ = try Baseline(Self.set(), asRecordedIn: second)
        }
        Refusal.expect(.notFound) {
            _ = try Baseline(Self.set(), asRecordedIn: Self.database([]))
        }
        Refusal.expect(.notFound) {
            _ = try Baseline(Self.set(), asRecordedIn: Connection.inMemory())
        }
        let other = try MigrationSet(name: "a", files: [(name: "1-a.sql", content: "SELECT 1;")])
        Refusal.expect(.notFound) {
            _ = try Baseline(other, asRecordedIn: Self.database([]))
        }
    }

    @Test("beside a set of another layout the table is drift")
    func foreign() throws {
        let connection = try Self.database([])
        let set = try MigrationSet(name: "a", files: [(name: "1-a.sql", content: "CREATE TABLE a (x);")])
        _ = try Migrator(set).run(on: connection)
        let found = try SchemaSnapshot(connection)
        let differences = try DriftCheck.differences(of: found, on: connection, [set], .init())
        #expect(differences.map(\.name) == ["_prisma_migrations"])
    }
}
