import Foundation
import Lockstep
import Subprocess
import SystemPackage
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

/// A process that is killed anywhere in a migration of a server leaves whole versions.
@Suite("Killed runners on a server", .withServer)
struct KilledRunnerTests {
    private let folder: TemporaryFolder
    private let files: FilePath

    private static let scripts = [
        ServerScratch.up("CREATE TABLE a (i bigint PRIMARY KEY);\nINSERT INTO a VALUES (1);"),
        ServerScratch.up("CREATE TABLE b (i bigint);\nALTER TABLE a ADD COLUMN n int;"),
        ServerScratch.up(
            """
            -- lockstep: no transaction
            CREATE INDEX CONCURRENTLY a_n ON a (n);
            INSERT INTO b VALUES (1);
            """),
    ]

    init() throws {
        folder = try TemporaryFolder()
        files = folder.file("test")
        try FileManager.default.createDirectory(atPath: files.string, withIntermediateDirectories: false)
        for (index, script) in Self.scripts.enumerated() {
            try folder.write("test/000\(index + 1)_step.sql", script)
        }
    }

    /// - Returns: Whether it was killed.
    private func migrate(
        _ address: ServerAddress, killedAt event: Int, _ more: [String] = []
    ) async throws -> Bool {
        let result = try await Subprocess.run(
            .path(Programs.path("Worker")),
            arguments: .init(
                ["server-migration", "\(address)", files.string, "\(event)"] + more),
            output: .discarded, error: .string(limit: 10_000))
        guard result.terminationStatus != .exited(0) else { return false }
        try #require(
            result.terminationStatus == .signaled(SIGKILL), "\(result.standardError)")
        return true
    }

    /// Whether the schema is another than that of the recorded versions.
    private static func isTorn(_ server: borrowing ServerConnection) throws -> Bool {
        let recorded = try ServerScratch.recorded(server).count
        let tables = try ServerScratch.tables(server)
        let hasColumn: Bool? = try server.value(
            "SELECT EXISTS (SELECT FROM pg_attribute WHERE attrelid = to_regclass('public.a') AND attname = 'n')")
        return tables != [[], ["a"], ["a", "b"], ["a", "b"]][recorded] || hasColumn != (recorded > 1)
    }

    @Test("Before each statement, record and commit: none is torn, and the next run finishes")
    func everywhere() async throws {
        var event = 0
        while true {
            let address = try TestServer.shared.get().address()
            let isKilled = try await migrate(address, killedAt: event)
            let server = try ServerConnection(address)
            #expect(try !Self.isTorn(server), "killed at \(event)")
            _ = try ServerMigrator(MigrationSet(folder: files, engine: .postgres)).run(
                on: server)
            #expect(try ServerScratch.recorded(server) == ["1", "2", "3"])
            #expect(try ServerScratch.unfinished(server) == 0)
            #expect(try ServerScratch.invalid(server).isEmpty)
            #expect(try server.value("SELECT count(*) FROM b") == 1, "killed at \(event)")
            guard isKilled else { break }
            event += 1
        }
        #expect(event == 12)
    }

    @Test("Control: a runner that commits a version before it records it is found torn") func control() async throws {
        let address = try TestServer.shared.get().address()
        #expect(try await migrate(address, killedAt: 0, ["apart"]))
        #expect(try Self.isTorn(ServerConnection(address)))
    }
}
