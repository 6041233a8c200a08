import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// A process that is killed while it copies leaves an intact database: the old one or the new one.
@Suite("Killed copies", .enabled(if: FileManager.default.fileExists(atPath: "/proc"), "not Linux"))
struct KilledCopyTests {
    /// A folder with a keyring that the worker opens.
    private struct Victim {
        let folder: TemporaryFolder
        var data: FilePath { folder.file("data.db") }
        var copy: FilePath { folder.file("copy.db") }

        init() throws {
            folder = try TemporaryFolder()
            let keyFile = folder.file("my.key")
            try KeyFile.create(keyFile)
            var keyring = try Keyring.create(.database)
            try keyring.addSlot("key-file", KeyFile.read(keyFile))
            try KeyringFile(folder.file("data.keyring")).create(keyring)
        }

        func key() throws -> DatabaseKey {
            try KeyringFile(folder.file("data.keyring")).open { _ in
                try KeyFile.read(folder.file("my.key"))
            }.activeDatabaseKey()
        }

        /// Whether it was killed at this call.
        func isKilled(_ action: String, at call: Int) async throws -> Bool {
            let result = try await run(
                .path(Programs.path("Worker")),
                arguments: ["copies", action, folder.path.string, "\(call)"],
                output: .discarded, error: .string(limit: 10_000))
            if result.terminationStatus == .exited(0) { return false }
            try #require(result.terminationStatus == .signaled(SIGKILL), "\(result.standardError)")
            return true
        }

        func total(_ path: FilePath) throws -> Int {
            #expect(try PageAudit(path).run(key: key()).isClean)
            let connection = try Connection.open(path, key: key())
            try IntegrityPragma.require(connection)
            return try Account.total(connection)
        }
    }

    /// Kills at some calls from the first to the last; returns how many.
    private func killAlong(
        _ action: String, _ victim: Victim, prepare: () throws -> Void, check: () throws -> Void
    ) async throws -> Int {
        var (call, kills) = (1, 0)
        while true {
            try prepare()
            guard try await victim.isKilled(action, at: call) else { return kills }
            try check()
            kills += 1
            call += max(call / 6, 1)
        }
    }

    @Test("A backup is complete or absent, and the original stays")
    func backup() async throws {
        let victim = try Victim()
        do { try Account.create(Store.create(victim.data, rawKey: victim.key()), rows: 500) }
        let kills = try await killAlong("backup", victim) {
            DatabaseScratch.remove(victim.copy)
        } check: {
            let total = try victim.total(victim.data)
            #expect(total == 500)
            if FileAccess.exists(victim.copy) { #expect(try victim.total(victim.copy) == 500) }
        }
        #expect(kills > 10)
        #expect(try victim.total(victim.copy) == 500)
    }

    @Test("A restore leaves the old or the new content, and can be run again")
    func restore() async throws {
        let victim = try Victim()
        do {
            let store = try Store.create(victim.data, rawKey: victim.key())
            try Account.create(store, rows: 500)
            try await store.backup(to: victim.copy)
            try Account.add(200, to: store)
        }
        let old = try Bytes.read(victim.data)
        let kills = try await killAlong("restore", victim) {
            DatabaseScratch.remove(victim.data)
            try Bytes.write(old, to: victim.data)
        } check: {
            let total = try victim.total(victim.data)
            #expect(total == 500 || total == 700)
            let backup = try victim.total(victim.copy)
            #expect(backup == 500)
        }
        #expect(kills > 10)
        #expect(try victim.total(victim.data) == 500)
    }
}
