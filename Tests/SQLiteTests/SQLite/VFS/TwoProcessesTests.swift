import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Two processes on one file, at full speed: a commit that a call has acknowledged is in the file.
///
/// Each knows its own writes, and only those are checked.
@Suite(
    "Commits and checkpoints of two processes", .serialized,
    .timeLimit(.minutes(Torture.minutes(60))))
struct TwoProcessesTests {
    /// Whether there is time to wait until a commit is lost.
    private static let isLong = Torture.isLong(with: .seconds(120))
    private static let campaign = Campaign("TwoProcessesTests", parts: isLong ? 3 : 2, seed: Torture.seed)
    /// The most seconds that processes work on one file.
    private static let most = 20

    private let folder: TemporaryFolder
    private let keyFile: FilePath
    private let keyring: FilePath
    private let path: FilePath

    init() throws {
        folder = try TemporaryFolder()
        keyFile = folder.file("my.key")
        keyring = folder.file("data.database.keyring")
        path = folder.file("data.db")
        try KeyFile.create(keyFile)
        var fresh = try Keyring.create(.database)
        try fresh.addSlot("key-file", KeyFile.read(keyFile))
        try KeyringFile(keyring).create(fresh)
    }

    private func make(rows: Int) throws {
        let key = try KeyringFile(keyring).open { _ in try KeyFile.read(keyFile) }.activeDatabaseKey()
        DatabaseScratch.remove(path)
        let connection = try Connection.create(path, key: key)
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, v INTEGER, pad)")
        for row in 1...rows {
            try connection.execute("INSERT INTO t VALUES (?, 0, randomblob(3000))", row)
        }
    }

    private func arguments(_ work: String, _ isGuarded: Bool, _ most: String) -> Arguments {
        ["commits", work, path.string, keyring.string, keyFile.string, isGuarded ? "on" : "off", most]
    }

    /// Runs one worker until it exits.
    private func run(_ work: String, _ isGuarded: Bool, _ most: String) async throws -> (
        code: TerminationStatus, text: String
    ) {
        let result = try await Subprocess.run(
            .path(Programs.path("Worker")),
            arguments: arguments(work, isGuarded, most),
            output: .string(limit: 10_000), error: .string(limit: 10_000))
        return (result.terminationStatus, result.standardOutput + result.standardError)
    }

    /// What a worker gets as its maximum: this many rounds, or the rest of the part's time.
    private func most(_ rounds: Int, _ part: CampaignPart) -> String {
        part.secondsLeft.map { "\(min($0, Self.most))s" } ?? "\(rounds)"
    }

    /// Counts the rounds that a worker reports.
    private func note(_ text: String, _ part: CampaignPart) {
        part.count("rounds", text.firstMatch(of: /(\d+) rounds/).flatMap { Int($0.1) } ?? 0)
    }

    /// One process commits, the other only runs checkpoints.
    private func besideCheckpoints(_ isGuarded: Bool, _ most: String) async throws -> (
        code: TerminationStatus, text: String
    ) {
        try make(rows: 24)
        return try await Subprocess.run(
            .path(Programs.path("Worker")),
            arguments: arguments("checkpoint", isGuarded, most),
            input: .none, output: .discarded, error: .discarded
        ) { checkpointer in
            let outcome = try await run("commit", isGuarded, most)
            try checkpointer.send(signal: .kill)
            return outcome
        }.closureResult
    }

    /// A commit that restarts the log in the middle of a checkpoint, in its own process: other code in this process can
    /// have put another VFS below.
    private func forced(_ mode: String, isGuarded: Bool = true) async throws -> [String] {
        let (code, text) = try await run("forced-\(mode)", isGuarded, "1")
        #expect(code == .exited(0), "\(text)")
        return text.split(separator: "\n").first?.split(separator: ", ").map(String.init) ?? []
    }

    @Test("A log that restarts during a checkpoint stops the checkpoint, and nothing is lost")
    func forced() async throws {
        let outcome = try await forced("passive")
        #expect(outcome == ["0 wrong", "run", "accepted", "stopped", "1"])
    }

    @Test(
        "Modes that take the writer's lock are not stopped: the commit is refused, then succeeds",
        arguments: ["full", "truncate"])
    func forcedWriter(mode: String) async throws {
        let outcome = try await forced(mode)
        #expect(outcome == ["0 wrong", "run", "busy", "complete", "0"])
    }

    @Test(
        "Negative control: without the guard the same schedule loses commits",
        .enabled(if: try LibraryDefect.walReset.isLoaded, "the loaded SQLite does not have the race"))
    func forcedControl() async throws {
        let outcome = try await forced("passive", isGuarded: false)
        print("without the guard: \(outcome)")
        #expect(outcome.first != "0 wrong")
        #expect(outcome.dropFirst() == ["run", "accepted", "complete", "0"])
    }

    @Test("With a second process that only runs checkpoints, nothing is lost")
    func checkpoints() async throws {
        guard let part = Self.campaign.begin("checkpoints") else { return }
        defer { part.end() }
        var count = 0
        while part.goesOn(after: count, of: 1) {
            let (code, text) = try await besideCheckpoints(true, most(400, part))
            #expect(code == .exited(0), "\(text)")
            note(text, part)
            count += 1
        }
    }

    @Test(
        "Negative control: without the guard a commit is soon lost",
        .enabled(if: try LibraryDefect.walReset.isLoaded, "the loaded SQLite does not have the race"),
        .enabled(if: isLong, "needs the long form, and two minutes"))
    func control() async throws {
        guard let part = Self.campaign.begin("control") else { return }
        defer { part.end() }
        while part.goesOn() {
            let (code, text) = try await besideCheckpoints(false, most(400, part))
            note(text, part)
            guard code == .exited(0) else { return #expect(code == .exited(3), "\(text)") }
        }
        Issue.record("no commit was lost")
    }

    @Test("Two stores in two processes count their own writes, and none is lost")
    func stores() async throws {
        guard let part = Self.campaign.begin("stores") else { return }
        defer { part.end() }
        var count = 0
        while part.goesOn(after: count, of: 1) {
            try make(rows: 400)
            let most = most(150, part)
            async let one = run("store-1", true, most)
            async let other = run("store-2", true, most)
            for (code, text) in try await [one, other] {
                #expect(code == .exited(0), "\(text)")
                note(text, part)
            }
            count += 1
        }
    }
}
