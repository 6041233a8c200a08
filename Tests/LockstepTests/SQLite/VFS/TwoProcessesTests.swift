import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import Lockstep

/// Two processes on one file, at full speed: a commit that a call has acknowledged is in the file.
///
/// Each knows its own writes, and only those are checked. `LOCKSTEP_TORTURE_SECONDS=600` sets the duration.
@Suite("Commits and checkpoints of two processes", .serialized, .timeLimit(.minutes(60)))
struct TwoProcessesTests {
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
        let key = try KeyringFile(keyring).open { _ in try KeyFile.read(keyFile) }.databaseKey()
        let connection = try Connection.create(path, key: key)
        try connection.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, v INTEGER, pad)")
        for row in 1...rows {
            try connection.execute("INSERT INTO t VALUES (?, 0, randomblob(3000))", row)
        }
    }

    private func arguments(_ work: String, _ isGuarded: Bool, rounds: Int) -> Arguments {
        let most = Torture.duration.map { "\($0.components.seconds)s" } ?? "\(rounds)"
        return [
            "commits", work, path.string, keyring.string, keyFile.string, isGuarded ? "on" : "off",
            most,
        ]
    }

    /// Runs one worker until it exits.
    private func run(_ work: String, _ isGuarded: Bool = true, rounds: Int) async throws -> (
        code: TerminationStatus, text: String
    ) {
        let result = try await Subprocess.run(
            .path(Programs.path("Worker")),
            arguments: arguments(work, isGuarded, rounds: rounds),
            output: .string(limit: 10_000), error: .string(limit: 10_000))
        return (result.terminationStatus, result.standardOutput + result.standardError)
    }

    /// One process commits, the other only runs checkpoints.
    private func besideCheckpoints(_ isGuarded: Bool, rounds: Int) async throws -> (
        code: TerminationStatus, text: String
    ) {
        try make(rows: 24)
        return try await Subprocess.run(
            .path(Programs.path("Worker")),
            arguments: arguments("checkpoint", isGuarded, rounds: rounds),
            input: .none, output: .discarded, error: .discarded
        ) { checkpointer in
            let outcome = try await run("commit", isGuarded, rounds: rounds)
            try checkpointer.send(signal: .kill)
            return outcome
        }.closureResult
    }

    /// A commit that restarts the log in the middle of a checkpoint, in its own process: other code in this process can
    /// have put another VFS below.
    private func forced(_ mode: String, isGuarded: Bool = true) async throws -> [String] {
        let (code, text) = try await run("forced-\(mode)", isGuarded, rounds: 1)
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
        .enabled(
            if: try LibraryDefect.walReset.isLoaded, "the loaded SQLite does not have the race"))
    func forcedControl() async throws {
        let outcome = try await forced("passive", isGuarded: false)
        print("without the guard: \(outcome)")
        #expect(outcome.first != "0 wrong")
        #expect(outcome.dropFirst() == ["run", "accepted", "complete", "0"])
    }

    @Test("With a second process that only runs checkpoints, nothing is lost")
    func checkpoints() async throws {
        let (code, text) = try await besideCheckpoints(true, rounds: 400)
        print("commits beside checkpoints: \(text)")
        #expect(code == .exited(0), "\(text)")
    }

    @Test(
        "Negative control: without the guard a commit is soon lost",
        .enabled(
            if: try LibraryDefect.walReset.isLoaded, "the loaded SQLite does not have the race"),
        .enabled(if: Torture.duration != nil, "needs LOCKSTEP_TORTURE_SECONDS=60 or more"))
    func control() async throws {
        let (code, text) = try await besideCheckpoints(false, rounds: 400)
        print("without the guard: \(text)")
        #expect(code == .exited(3), "\(text)")
    }

    @Test("Two stores in two processes count their own writes, and none is lost")
    func stores() async throws {
        try make(rows: 400)
        async let one = run("store-1", rounds: 150)
        async let other = run("store-2", rounds: 150)
        for (code, text) in try await [one, other] {
            print("a store of two: \(text)")
            #expect(code == .exited(0), "\(text)")
        }
    }
}
