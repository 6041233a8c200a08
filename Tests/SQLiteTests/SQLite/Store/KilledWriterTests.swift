import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A process that is killed while eight tasks write loses no acknowledged write.
@Suite("A store whose process is killed", .timeLimit(.minutes(Torture.minutes(20)))) struct KilledWriterTests {
    private static let campaign = Campaign("KilledWriterTests", parts: 2, seed: Torture.seed)

    private struct Entry: Hashable {
        let task: Int
        let number: Int
    }

    private let folder: TemporaryFolder
    private let keyring: KeyringFile
    private let keyFile: FilePath

    init() throws {
        folder = try TemporaryFolder()
        keyFile = folder.file("my.key")
        keyring = KeyringFile(folder.file("data.database.keyring"))
        try KeyFile.create(keyFile)
        var fresh = try Keyring.create(.database)
        try fresh.addSlot("key-file", KeyFile.read(keyFile))
        try keyring.create(fresh)
    }

    private var path: FilePath { folder.file("data.db") }

    private func key() throws -> DatabaseKey {
        try keyring.open { _ in try KeyFile.read(keyFile) }.activeDatabaseKey()
    }

    private func make() throws {
        DatabaseScratch.remove(path)
        let connection = try Connection.create(path, key: key())
        try connection.run(
            script: """
                CREATE TABLE entry (
                    task INTEGER, number INTEGER, part INTEGER, mark INTEGER, body BLOB,
                    PRIMARY KEY (task, number, part));
                CREATE TABLE nobody (id INTEGER PRIMARY KEY);
                CREATE TABLE orphan (
                    id REFERENCES nobody (id) DEFERRABLE INITIALLY DEFERRED);
                """)
    }

    /// Runs the writer until it has acknowledged this many writes, kills it, and returns all writes acknowledged by
    /// then.
    private func acknowledged(_ synchronous: String, killAfter count: Int) async throws
        -> Set<Entry>
    {
        let result = try await run(
            .path(Programs.path("Worker")),
            arguments: [
                "crash-writes", path.string, keyring.path.string, keyFile.string, synchronous,
            ],
            input: .none, output: .sequence, error: .discarded
        ) { execution in
            var entries: Set<Entry> = []
            for try await line in execution.standardOutput.strings() {
                let numbers = line.split(separator: " ").compactMap { Int($0) }
                guard numbers.count == 2 else { continue }
                entries.insert(Entry(task: numbers[0], number: numbers[1]))
                if entries.count == count { try execution.send(signal: .kill) }
            }
            return entries
        }
        #expect(result.terminationStatus == .signaled(SIGKILL))
        return result.closureResult
    }

    private func check(_ acknowledged: Set<Entry>, _ context: Comment) throws {
        // Before the log is replayed: SQLite ignores frames that do not verify.
        #expect(try PageAudit(path).run(key: key()).isClean, context)
        let connection = try Connection.open(path, key: key())
        #expect(try connection.value("PRAGMA integrity_check", as: String.self) == "ok", context)
        var parts: [Entry: Set<Int>] = [:]
        let statement = try connection.prepare("SELECT task, number, part, mark FROM entry")
        try statement.forEach { row in
            let (task, number, part, mark) = try row.columns(as: (Int, Int, Int, Int).self)
            #expect(mark == task * 1_000_003 + number * 31 + part, context)
            parts[Entry(task: task, number: number), default: []].insert(part)
        }
        let lost = acknowledged.subtracting(parts.keys)
        #expect(lost.isEmpty, context)
        let torn = parts.filter { $0.value != [0, 1, 2] }
        #expect(torn.isEmpty, context)
        // Each task has at most one write in progress, and none that rolled back.
        let made = parts.keys.filter { entry in
            !acknowledged.contains(entry) && entry.number != 0
                && !acknowledged.contains(Entry(task: entry.task, number: entry.number - 1))
        }
        #expect(made.isEmpty, context)
        #expect(try connection.value("SELECT count(*) FROM orphan", as: Int.self) == 0, context)
    }

    @Test(
        "Acknowledged writes survive a kill, nothing is torn, and nothing is invented",
        arguments: ["full", "normal"])
    func kill(synchronous: String) async throws {
        var random = SplitMix64(stream: synchronous.utf8.count)
        guard let part = Self.campaign.begin(synchronous) else { return }
        defer { part.end() }
        var kills = 0
        while part.goesOn(after: kills, of: 4) {
            try make()
            let count = Int.random(in: 1...600, using: &random)
            let entries = try await acknowledged(synchronous, killAfter: count)
            try check(entries, "seed \(Torture.seed), kill \(kills), after \(count) writes")
            kills += 1
            part.count("kills")
            part.count("acknowledged writes", entries.count)
        }
    }
}
