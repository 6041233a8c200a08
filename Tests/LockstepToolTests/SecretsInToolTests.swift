import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport

/// The claims of the article SecretsInMemory about the tool, which forbids access to everyone except root.
@Suite(
    "Secrets in the tool's memory",
    .enabled(if: LockableMemory.isThere, "no memory can be locked here, or there is no /proc"),
    .enabled(if: StalledTool.canBeRead, "this takes CAP_SYS_PTRACE on Linux, which root has"))
struct SecretsInToolTests {
    @Test("During a query, all copies are in the key table, locked and excluded from dumps") func query() throws {
        let workbench = try SecretsWorkbench()
        // More than a pipe can hold, with no reader at its other end.
        let sql = """
            WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n LIMIT 1000000)
            SELECT code, note FROM film_open, n WHERE film_open.id = 1
            """
        let tool = try StalledTool(
            in: workbench.path,
            "query", "--format", "json", "-d", "films.db", "--key-file", "key",
            "--fields", SecretsInUse.dataset, sql)
        let places = try tool.whileStalled { process in
            try MemoryScan.places(of: workbench.secrets.masked, in: process)
        }
        let differences = try MemoryTable().differences(.tool, workbench.secrets, places)
        #expect(differences.isEmpty)
    }
}

/// The tool, stopped in the middle of its output.
private final class StalledTool {
    private let process = Process()
    private let output = Pipe()

    /// Whether this process can read the memory of processes that forbid it: bit 19 of its capabilities.
    static let canBeRead: Bool = {
        guard let status = try? Bytes.read("/proc/self/status") else { return false }
        let lines = String(decoding: status, as: UTF8.self).split(separator: "\n")
        guard let line = lines.first(where: { $0.hasPrefix("CapEff:") }) else { return false }
        return UInt64(line.dropFirst(7).drop { $0 == "\t" }, radix: 16).map {
            $0 >> 19 & 1 == 1
        } ?? false
    }()

    init(in folder: FilePath, _ arguments: String...) throws {
        process.executableURL = URL(filePath: Programs.path("lockstep").string)
        process.arguments = arguments
        process.currentDirectoryURL = URL(filePath: folder.string)
        process.environment = ["PATH": "/usr/bin:/bin"]
        process.standardOutput = output
        try process.run()
    }

    deinit {
        // After SIGTERM it would first continue writing.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Runs `body` with the process ID once the tool has begun to write and waits for a reader.
    func whileStalled<Result>(_ body: (String) throws -> Result) throws -> Result {
        let number = String(process.processIdentifier)
        let first = try output.fileHandleForReading.read(upToCount: 1)
        try #require(first?.count == 1, "the tool has written nothing")
        while try state(of: number) != "S" {
            try #require(process.isRunning, "the tool has ended")
            sched_yield()
        }
        return try body(number)
    }

    /// `S` for a waiting process; this one reads and computes nothing else, so it can only wait for its reader.
    private func state(of process: String) throws -> Substring? {
        let stat = String(decoding: try Bytes.read(FilePath("/proc/\(process)/stat")), as: UTF8.self)
        // After the program's name in parentheses.
        return stat.split(separator: ")").last?.split(separator: " ").first
    }
}
