import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A process that is killed anywhere in a migration leaves ledger and schema consistent, and keeps every row.
@Suite("Killed migrations")
struct CrashTests {
    /// Version 1 with rows in it, in a file, with its keyring and key file.
    private struct Victim {
        let folder: TemporaryFolder
        let set: MigrationSet
        let setFolder: FilePath

        /// - Parameter versions: How many of the set's to use; those that seal columns need keys that the victim lacks.
        init(_ name: String, versions: Int = .max, rows: [String]) throws {
            folder = try TemporaryFolder()
            let source = Programs.package.appending("Migrations").appending(name)
            setFolder = folder.file(name)
            try FileManager.default.createDirectory(atPath: setFolder.string, withIntermediateDirectories: false)
            let files = try FileManager.default.contentsOfDirectory(atPath: source.string).sorted()
                .filter { !$0.hasSuffix(".postgres.sql") }
            for file in files.prefix(versions) {
                try FileManager.default.copyItem(
                    atPath: source.appending(file).string, toPath: setFolder.appending(file).string)
            }
            set = try MigrationSet(folder: setFolder)
            try KeyFile.create(keyFile)
            var keyring = try Keyring.create(.database)
            try keyring.addSlot("key-file", KeyFile.read(keyFile))
            try keyringFile.create(keyring)
            let connection = try Connection.create(original, key: keyring.activeDatabaseKey())
            _ = try Migrator(set).run(.version(MigrationVersion(1)), on: connection)
            for row in rows { try connection.execute(SQL(verbatim: row)) }
        }

        var keyFile: FilePath { folder.file("my.key") }
        var keyringFile: KeyringFile { KeyringFile(folder.file("Keys/data.database.keyring")) }
        var original: FilePath { folder.file("data.db") }

        func key() throws -> DatabaseKey {
            try keyringFile.open { _ in try KeyFile.read(keyFile) }.activeDatabaseKey()
        }
    }

    /// The schema after the first `count` versions.
    private static func schema(_ victim: Victim, of count: Int) throws -> SchemaSnapshot {
        let connection = try Connection.inMemory()
        if count > 0 {
            _ = try Migrator(victim.set).run(
                .version(victim.set.files[count - 1].version), on: connection)
        }
        return try SchemaSnapshot(connection)
    }

    /// Kills a fresh copy at each event in turn until a run completes; returns the number of kills.
    private func killEverywhere(_ victim: Victim, table: String, rows: Int) async throws -> Int {
        let fresh = try (0...victim.set.files.count).map { try Self.schema(victim, of: $0) }
        var event = 0
        while true {
            let copy = victim.folder.file("copy-\(event).db")
            try Bytes.write(Bytes.read(victim.original), to: copy)
            let result = try await run(
                .path(Programs.path("Worker")),
                arguments: [
                    "crash-migration", copy.string, victim.keyringFile.path.string,
                    victim.keyFile.string,
                    victim.setFolder.string, "\(event)",
                ], output: .discarded, error: .string(limit: 10_000))
            if result.terminationStatus == .exited(0) { return event }
            try #require(result.terminationStatus == .signaled(SIGKILL), "\(result.standardError)")
            try Self.complete(copy, victim, fresh, "killed at event \(event)", table, rows)
            event += 1
        }
    }

    /// Checks a copy whose migration was killed, and completes it.
    private static func complete(
        _ copy: FilePath, _ victim: Victim, _ fresh: [SchemaSnapshot], _ comment: Comment, _ table: String, _ rows: Int
    ) throws {
        let connection = try Connection.open(copy, key: victim.key())
        let applied = try Ledger.entries(connection).count
        #expect(applied >= 1)
        #expect(
            try SchemaSnapshot(connection).differences(from: fresh[applied]).isEmpty,
            "\(comment) with \(applied) versions applied")
        #expect(try Scratch.int(connection, "PRAGMA user_version") == applied)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM \(table)") == rows)
        // The next run completes the begun migration.
        _ = try Migrator(victim.set).run(on: connection)
        #expect(try Ledger.entries(connection).count == victim.set.files.count)
        #expect(try Scratch.int(connection, "SELECT count(*) FROM \(table)") == rows)
        _ = consume connection
        let report = try Verification(copy, sets: [victim.set]).run(key: victim.key())
        #expect(report.isClean, "\(report)")
    }

    @Test("Between any two statements of the movies' upgrade, its rebuild included")
    func movies() async throws {
        let victim = try Victim(
            "movies", versions: 2,
            rows: (1...40).map {
                "INSERT INTO movies (title, category, year, coverURL, likes) "
                    + "VALUES ('film \($0)', 'Drama', \(1960 + $0), '', \($0))"
            })
        let kills = try await killEverywhere(victim, table: "movies", rows: 40)
        // One version: began, 3 statements, 5 steps of the rebuild, checked, recorded, committed.
        #expect(kills == 12)
    }

    @Test("Between any two statements of the microblog's three upgrades, over three transactions")
    func microblog() async throws {
        let victim = try Victim(
            "microblog",
            rows: ["INSERT INTO User (name) VALUES ('Ann')"]
                + (1...30).map {
                    "INSERT INTO Status (createdAt, \"text\", user) "
                        + "VALUES ('2012-08-28 20:35:\($0 + 10)', 'status \($0)', 1)"
                })
        let kills = try await killEverywhere(victim, table: "Status", rows: 30)
        #expect(kills > 25)
    }
}
