import Foundation
import Lockstep
import Subprocess
import SystemPackage
import TestServers
import TestSupport
import Testing

@testable import LockstepPostgres

/// A process that is killed anywhere in a copy leaves every row once, and the next run goes on.
@Suite("Killed copies", .withServer)
struct KilledCopyTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.file("films").string, withIntermediateDirectories: false)
    }

    private func scratch() throws -> CopyScratch {
        let scratch = try CopyScratch(at: folder.file("data.db"))
        for file in scratch.files { try folder.write("films/\(file.name)", file.content) }
        return scratch
    }

    /// - Returns: Whether it was killed.
    private func copy(
        to side: String, _ address: ServerAddress, killedAt event: Int, _ more: [String] = []
    ) async throws -> Bool {
        let result = try await Subprocess.run(
            .path(Programs.path("Worker")),
            arguments: .init(["server-copy", side, "\(address)", folder.path.string, "\(event)"] + more),
            output: .discarded, error: .string(limit: 10_000))
        guard result.terminationStatus != .exited(0) else { return false }
        try #require(
            result.terminationStatus == .signaled(SIGKILL), "\(result.standardError)")
        return true
    }

    /// The tables in which a copy under way has other rows than it recorded.
    private static func torn(_ server: borrowing ServerConnection) throws -> [String] {
        guard let recorded = try CopyState(schema: "public").read(server),
            recorded[""]?.rows == 1
        else { return [] }
        return try ServerScratch.tables(server).filter { table in
            let rows: Int? = try server.value("SELECT count(*) FROM \(name: table)")
            return rows != recorded[table]?.rows ?? 0
        }
    }

    @Test("To a server, 100 times: at each step of each chunk, with every row once")
    func toServer() async throws {
        let scratch = try scratch()
        try scratch.fill(Torture.isLong ? 1600 : 48)
        let address = try TestServer.shared.get().address()
        let server = try ServerConnection(address)
        var (kills, parts) = (0, Set<Int>())
        // In turn at one of the first steps, so that the next run often goes on elsewhere.
        while try await copy(to: "server", address, killedAt: kills % 7) {
            kills += 1
            #expect(try Self.torn(server).isEmpty, "kill \(kills)")
            let rows = try CopyState(schema: "public").read(server)?.values.map(\.rows)
            parts.insert(rows?.reduce(0, +) ?? 0)
        }
        #expect(kills >= 100)
        // After most chunks there was a kill.
        #expect(parts.count >= 15)
        #expect(try CopyScratch.cells(on: server) == scratch.cells())
        #expect(try server.value("SELECT count(*) FROM tag") == (Torture.isLong ? 1600 : 48))
        #expect(try server.value("SELECT count(*) FROM log") == 4)
        #expect(try server.value("SELECT count(*) FROM studio") == 3)
        #expect(try CopyState(schema: "public").read(server) == nil)
    }

    @Test("To a file, at several rows and before the commit: it stays empty until it has all")
    func toFile() async throws {
        let address = try TestServer.shared.get().address()
        let source = try CopyScratch()
        try source.fill(12)
        let server = try ServerConnection(address)
        _ = try ServerCopy([source.set(.postgres)]).run(from: source.file, to: server)
        for file in source.files { try folder.write("films/\(file.name)", file.content) }
        let path = folder.file("data.db")
        _ = try Connection.create(path, key: CopyScratch.key())
        // 31 rows, and the end.
        for event in [0, 11, 30, 31] {
            try #require(try await copy(to: "file", address, killedAt: event))
            let file = try Connection.open(path, key: CopyScratch.key())
            let tables = try file.value(
                "SELECT count(*) FROM sqlite_schema WHERE name NOT LIKE 'lockstep%'",
                as: Int.self)
            #expect(tables == 0, "killed at \(event)")
        }
        #expect(try await !copy(to: "file", address, killedAt: 32))
        let file = try Connection.open(path, key: CopyScratch.key())
        let cells = try file.query(
            "SELECT id, title, cover, title_casefold_token FROM main.films ORDER BY id"
        ) { row in try (0..<4).map { try row[$0] as Value } }
        #expect(try cells == source.cells())
    }

    @Test("Control: a copy that commits rows before it records them is found torn")
    func control() async throws {
        try scratch().fill(4)
        let address = try TestServer.shared.get().address()
        let server = try ServerConnection(address)
        var event = 0
        // Up to a run that has emptied the tables, and sends their rows.
        while try await copy(to: "server", address, killedAt: event),
            try CopyState(schema: "public").read(server)?[""]?.rows != 1
        {
            event += 1
        }
        try #require(try Self.torn(server).isEmpty)
        #expect(try await copy(to: "server", address, killedAt: 0, ["apart"]))
        #expect(try Self.torn(server) == ["log"])
    }
}
