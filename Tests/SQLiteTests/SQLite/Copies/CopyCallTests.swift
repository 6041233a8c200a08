import Foundation
import SystemPackage
import TestSupport
import Testing

@testable import EngineTestSupport
@testable import Lockstep

/// Copies during which a system call that changes files fails, at any such call.
@Suite("Copies whose system calls fail", .enabled(if: FaultyWorker.isAble, "not Linux")) struct CopyCallTests {
    /// A database whose last rows are only in its log.
    private static func original() throws -> RotationScratch {
        let scratch = try RotationScratch()
        try scratch.fill(rows: 20, logged: 5)
        return scratch
    }

    private static func run(
        _ action: String, _ scratch: RotationScratch, _ fault: String = "kill", at call: Int = .max >> 33
    ) async throws -> FaultyWorker.Run {
        try await FaultyWorker.run("copies", action, in: scratch.folder.path, fault, at: call)
    }

    /// Every file of the database, finished or not, except those that readers share, by name.
    private static func files(_ scratch: RotationScratch) throws -> [String: [UInt8]] {
        var files: [String: [UInt8]] = [:]
        for name in try scratch.names where name.contains("data.db") && !name.hasSuffix("-shm") {
            files[name] = try Bytes.read(scratch.folder.file(name))
        }
        return files
    }

    private static func content(_ scratch: RotationScratch, _ name: String) throws -> [String] {
        let path = scratch.folder.file(name)
        let key = try scratch.keyring().activeDatabaseKey()
        #expect(try PageAudit(path).run(key: key).isClean)
        return try RotationScratch.content(Connection.open(path, key: key))
    }

    /// Adds a row, and makes a backup.
    private static func grow(_ scratch: RotationScratch, backup: FilePath) throws {
        let key = try scratch.keyring().activeDatabaseKey()
        let store = try Store.open(scratch.path, rawKey: key)
        try store.blocking.write {
            try $0.execute("INSERT INTO item SELECT NULL, body FROM item LIMIT 1")
        }
        try store.blocking.backup(to: backup)
    }

    @Test("A failed backup leaves no files", arguments: ["once", "full"])
    func backup(_ fault: String) async throws {
        let original = try Self.original()
        let content = try RotationScratch(copying: original).content()
        let whole = try await Self.run("backup", RotationScratch(copying: original))
        #expect(whole.outcome == .succeeded)
        var failures = 0
        for call in whole.calls.map(\.number) {
            let scratch = try RotationScratch(copying: original)
            let run = try await Self.run("backup", scratch, fault, at: call)
            let context: Comment = "\(fault) at call \(call): \(run.reported)"
            if run.outcome == .succeeded {
                #expect(try Self.content(scratch, "copy.db") == content, context)
            } else {
                failures += 1
                let left = try scratch.names.filter { $0.contains("copy.db") }
                #expect(left == [], context)
            }
            #expect(try scratch.content() == content, context)
        }
        #expect(failures > 3)
    }

    @Test(
        "A failed restore over an unreadable database leaves it with its log, or only the backup",
        arguments: ["once", "full"])
    func restore(_ fault: String) async throws {
        let original = try Self.original()
        let content: [String]
        do {
            let copied = try RotationScratch(copying: original)
            let key = try copied.keyring().activeDatabaseKey()
            try await Store.open(copied.path, rawKey: key).backup(to: original.folder.file("copy.db"))
            content = try copied.content()
        }
        var bytes = try Bytes.read(original.path)
        bytes[100] ^= 1
        try Bytes.write(bytes, to: original.path)
        let before = try Self.files(original)
        #expect(before["data.db-wal"]?.isEmpty == false)
        let whole = try await Self.run("restore", RotationScratch(copying: original))
        #expect(whole.outcome == .succeeded)
        var (failures, failuresWithNew) = (0, 0)
        for call in whole.calls.map(\.number) {
            let scratch = try RotationScratch(copying: original)
            let run = try await Self.run("restore", scratch, fault, at: call)
            let context: Comment = "\(fault) at call \(call): \(run.reported)"
            let after = try Self.files(scratch)
            if run.outcome == .failed { failures += 1 }
            if after["data.db"] == before["data.db"] {
                #expect(run.outcome == .failed && after == before, context)
            } else {
                if run.outcome == .failed { failuresWithNew += 1 }
                #expect(after["data.db-wal"] == nil, context)
                #expect(try Self.content(scratch, "data.db") == content, context)
            }
        }
        #expect(failures > 3)
        // The folder's last sync comes when nothing can be undone.
        #expect(failuresWithNew == (fault == "once" ? 1 : 0))
    }

    @Test("A killed restore leaves the old content, also what only the log had, or the backup's")
    func killedRestore() async throws {
        let original = try Self.original()
        let old = try RotationScratch(copying: original).content()
        let new: [String]
        do {
            let copied = try RotationScratch(copying: original)
            try Self.grow(copied, backup: original.folder.file("copy.db"))
            new = try copied.content()
        }
        #expect(old != new)
        let whole = try await Self.run("restore", RotationScratch(copying: original))
        #expect(whole.outcome == .succeeded)
        var ends: Set<[String]> = []
        // Where the old log is moved away, and the file has not come yet.
        for call in whole.calls.map(\.number) {
            let scratch = try RotationScratch(copying: original)
            #expect(try await Self.run("restore", scratch, "kill", at: call).outcome == .killed)
            let content = try Self.content(scratch, "data.db")
            #expect(content == old || content == new, "killed at call \(call)")
            ends.insert(content)
        }
        #expect(ends.count == 2)
    }
}
